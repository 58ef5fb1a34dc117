"""Batches: each variation is done once, wherever and whenever, with the same result; a bad job is named."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
import pytest

from physplace_addon.operators.batch import command, variations
from physplace_addon.operators.batch import job_file as module_of_jobs
from physplace_addon.operators.batch.command import ALL_AT_REST, REFUSED, SOME_NOT, run
from physplace_addon.operators.batch.job_file import BatchError, BatchJob, Scattered, read_job
from physplace_addon.scene.errors import SceneError
from tests.blender_data import current_scene, current_view_layer
from tests.scene import scenes

CUBES = ("A", "B")


def job_file(folder: Path, **entries: Any) -> Path:
    """A job of two cubes over a floor, in a folder; entries replace those of the job, None takes one away."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scenes.floor()
    for number, name in enumerate(CUBES):
        scenes.cube(name, (4.0 * number, 0.0, 2.0))
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    boxes = [[[-3.0, -3.0, 2.0], [-1.5, 3.0, 3.0]], [[1.5, -3.0, 2.0], [3.0, 3.0, 3.0]]]
    job = {
        "scene": "scene.blend",
        "output": "out",
        "variations": 3,
        "seed": 7,
        "objects": [
            {"name": name, "box": box, "turn": "any"} for name, box in zip(CUBES, boxes, strict=True)
        ],
    }
    job |= entries
    path = folder / "job.json"
    path.write_text(json.dumps({name: value for name, value in job.items() if value is not None}))
    return path


def results(folder: Path) -> dict[str, str]:
    """The text of each JSON file of a folder."""
    return {path.name: path.read_text() for path in folder.glob("*.json")}


@pytest.mark.slow
def test_all_come_to_rest_without_overlap_each_variation_elsewhere(tmp_path: Path) -> None:
    assert run([str(job_file(tmp_path, save=["json", "blend"]))]) == ALL_AT_REST
    kept = [json.loads(text) for _, text in sorted(results(tmp_path / "out").items())]
    assert [each["variation"] for each in kept] == [0, 1, 2]
    heights = np.array([[each["objects"][name]["matrix_world"][2][3] for name in CUBES] for each in kept])
    np.testing.assert_allclose(heights, 1.0, atol=1e-6)
    places = [tuple(each["objects"]["A"]["matrix_world"][0]) for each in kept]
    assert len(set(places)) == 3
    reports = [each["objects"][name]["report"] for each in kept for name in CUBES]
    assert max(report["overlap"] for report in reports) < 1e-6
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "000002.blend"))
    np.testing.assert_array_equal(
        scenes.world_matrix(bpy.data.objects["A"]), kept[2]["objects"]["A"]["matrix_world"]
    )


def test_ranges_in_any_order_give_the_same_bytes_and_nothing_is_done_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_file(tmp_path)
    assert run([str(job)]) == ALL_AT_REST
    whole = results(tmp_path / "out")
    entries = json.loads(job.read_text())
    job.write_text(json.dumps({**entries, "output": "again"}))
    done = []
    made = variations.variation

    def counted(of: BatchJob, number: int) -> variations.Variation:
        done.append(number)
        return made(of, number)

    monkeypatch.setattr(command, "variation", counted)
    assert run([str(job), "--first", "2"]) == ALL_AT_REST
    (tmp_path / "again" / "000001.json.999").write_text("{")  # a run that was killed while it wrote
    assert run([str(job), "--count", "1"]) == ALL_AT_REST
    assert run([str(job)]) == ALL_AT_REST
    assert done == [2, 0, 1]
    assert results(tmp_path / "again") == whole


def test_what_falls_for_ever_is_told_by_the_exit_code_and_kept(tmp_path: Path) -> None:
    job = job_file(tmp_path, variations=1)
    entries = json.loads(job.read_text())
    entries["objects"][0]["box"] = [[50.0, 0.0, 2.0], [50.0, 0.0, 2.0]]
    job.write_text(json.dumps(entries))
    assert run([str(job)]) == SOME_NOT
    assert run([str(job)]) == SOME_NOT  # also of what was done before
    assert run([str(job), "--accept-restless"]) == ALL_AT_REST
    (text,) = results(tmp_path / "out").values()
    assert json.loads(text)["objects"]["A"]["report"]["status"] == "NO_SUPPORT"


def test_objects_that_overlap_are_scattered_anew(tmp_path: Path) -> None:
    inside = [[0.0, 0.0, 0.2], [0.0, 0.0, 4.0]]  # most heights of it are clear of the floor
    scattered = [{"name": "A", "box": inside}]
    job = job_file(tmp_path, objects=scattered, variations=8, tries=12)
    assert run([str(job)]) == ALL_AT_REST
    tries = [json.loads(text)["tries"] for text in results(tmp_path / "out").values()]
    assert max(tries) > 1


@pytest.mark.parametrize(
    ("entries", "names"),
    [
        ({"scene": None}, "scene: it is not there"),
        ({"scene": "none.blend"}, "there is no file"),
        ({"scene": "job.json"}, "Blender cannot open"),
        ({"variations": 0}, "variations: found 0"),
        ({"variations": "3"}, "variations: found a text"),
        ({"variation": 3}, "variation: there is no such entry"),
        ({"objects": []}, "objects: it lists none"),
        ({"objects": [{"name": "None", "box": [[0, 0, 1], [1, 1, 2]]}]}, 'no object "None"'),
        ({"objects": [{"name": "A", "box": [[0, 0, 1]]}]}, r"objects\[0\], box"),
        ({"objects": [{"name": "A", "box": [[0, 0, 3], [1, 1, 2]]}]}, "lower corner first"),
        ({"objects": [{"name": "A", "box": [[0, 0, 3], [1, 1, 4]], "turn": "up"}]}, 'turn: found "up"'),
        ({"objects": [{"name": "A", "box": [[0, 0, 3], [1, 1, 4]]}] * 2}, '"A" are listed twice'),
        ({"order": "random"}, "order: found"),
        ({"save": ["png"]}, "save: found"),
        ({"settings": {"none": 1}}, "settings.none: there is no such setting"),
        ({"settings": {"friction": "much"}}, "settings.friction"),
        ({"settings": {"friction": None}}, "settings.friction"),
        ({"settings": {"friction": -5}}, "settings.friction: found -5"),
        ({"settings": {"eps_max": 7.0}}, "settings.eps_max: found 7.0; give one in its range, such as 0.5"),
        ({"settings": {"friction": float("nan")}}, "settings.friction: found nan"),
        ({"settings": {"rna_type": 1}}, "settings.rna_type"),
        ({"objects": [{"name": "A", "box": [[0, 0, 1], [1, 1, 10**400]]}]}, "box: found"),
        ({"objects": [{"name": "A", "box": [[0, 0, -1e308], [1, 1, 1e308]]}]}, "box: found"),
        ({"objects": [{"name": "A", "box": [[0, 0, False], [1, 1, True]]}]}, "box: found"),
        ({"scene": "a\0b"}, "scene: found 'a.x00b'"),
        ({"output": "job.json"}, "output: .*job.json cannot be written"),
        ({"output": "job.json/out"}, "output: .* cannot be written"),
    ],
)
def test_a_bad_job_is_named_and_nothing_is_done(
    entries: dict[str, Any], names: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = job_file(tmp_path)
    path = tmp_path / "job.json"
    kept = json.loads(job.read_text()) | entries
    path.write_text(json.dumps({name: value for name, value in kept.items() if value is not None}))
    assert run([str(path)]) == REFUSED
    printed = capsys.readouterr().err
    assert '"job.json"' in printed
    assert re.search(names, printed), printed
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("words", [["--first", "-1"], ["--count", "-3"], ["--count", "some"]])
def test_a_number_that_is_none_of_variations_is_refused_with_the_exit_code_of_a_bad_job(
    words: list[str], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit) as ended:
        run([str(job_file(tmp_path)), *words])
    assert ended.value.code == REFUSED
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"job": 1}'])
def test_a_result_that_is_broken_is_named_and_stays(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = job_file(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "000000.json").write_text(text)
    assert run([str(job)]) == REFUSED
    assert "000000.json there is not what this command writes" in capsys.readouterr().err
    assert results(tmp_path / "out") == {"000000.json": text}


def test_a_job_in_a_folder_with_blanks_and_umlauts_may_begin_as_windows_writes_text(tmp_path: Path) -> None:
    folder = tmp_path / "Möbel für 2"
    folder.mkdir()
    job = job_file(folder, variations=1, output="aus – ü")
    job.write_text(json.dumps(json.loads(job.read_text()), ensure_ascii=False), encoding="utf-8-sig")
    assert run([str(job)]) == ALL_AT_REST
    assert list(results(folder / "aus – ü")) == ["000000.json"]


def test_what_is_infinite_is_null_for_readers_that_know_json_alone(tmp_path: Path) -> None:
    place = [[10.0, 10.0, 2.0], [10.0, 10.0, 2.0]]
    job = job_file(tmp_path, objects=[{"name": name, "box": place} for name in CUBES], variations=1, tries=1)
    assert run([str(job), "--accept-restless"]) == ALL_AT_REST

    def refused(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    (text,) = results(tmp_path / "out").values()
    reports = [each["report"] for each in json.loads(text, parse_constant=refused)["objects"].values()]
    assert None in [report.get("required_friction") for report in reports]


def test_a_scene_that_cannot_be_written_is_no_traceback_and_one_left_half_done_is_no_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = job_file(tmp_path, variations=1, save=["blend"])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "000000.blend").write_text("half")
    assert run([str(job)]) == ALL_AT_REST
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["000000.blend", "000000.json"]
    (tmp_path / "out" / "000000.json").unlink()
    (tmp_path / "out" / "000000.blend@").mkdir()  # the name under which Blender writes
    assert run([str(job)]) == REFUSED
    assert "Blender cannot write" in capsys.readouterr().err
    assert results(tmp_path / "out") == {}


def test_a_folder_of_a_scene_whose_library_was_changed_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = job_file(tmp_path, variations=1)
    library = str(tmp_path / "library.blend")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    floor = scenes.floor()
    floor.name = "Linked"
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    with cast("Any", bpy.data.libraries).load(library, link=True) as (_, wanted):
        wanted.objects = ["Linked"]
    current_scene().collection.objects.link(bpy.data.objects["Linked"])
    bpy.ops.wm.save_mainfile()
    assert run([str(job)]) == ALL_AT_REST
    assert run([str(job)]) == ALL_AT_REST
    bpy.ops.wm.open_mainfile(filepath=library)
    bpy.data.objects["Linked"].location.z = 0.25
    bpy.ops.wm.save_mainfile()
    assert run([str(job)]) == REFUSED
    assert "made by another job" in capsys.readouterr().err


def test_a_file_that_is_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "job.json").write_text("{")
    with pytest.raises(BatchError, match="it is no JSON"):
        read_job(tmp_path / "job.json")
    with pytest.raises(BatchError, match="it cannot be read"):
        read_job(tmp_path / "none.json")


def test_a_folder_of_another_job_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = job_file(tmp_path, variations=1)
    assert run([str(job)]) == ALL_AT_REST
    before = results(tmp_path / "out")
    job.write_text(json.dumps({**json.loads(job.read_text()), "seed": 8}))
    assert run([str(job)]) == REFUSED
    assert "made by another job" in capsys.readouterr().err
    assert results(tmp_path / "out") == before
    job.write_text(json.dumps({**json.loads(job.read_text()), "seed": 7, "variations": 2}))
    assert run([str(job)]) == ALL_AT_REST  # more of the same are no other job


def test_scattering_keeps_scale_and_boxes_and_turns_evenly(rng: np.random.Generator) -> None:
    parent = scenes.linked(bpy.data.objects.new("Parent", None), (1.0, 2.0, 3.0))
    parent.rotation_euler = (0.3, 0.2, 0.1)
    cube = scenes.cube("Cube")
    cube.parent, cube.scale = parent, (1.0, -2.0, 0.5)
    axes = []
    for _ in range(400):
        variations.scatter(bpy.context, [Scattered("Cube", (-1.0, 0.0, 2.0), (1.0, 0.5, 2.0), "any")], rng)
        world = scenes.world_matrix(cube)
        assert np.all(world[:3, 3] >= [-1.0 - 1e-6, -1e-6, 2.0 - 1e-6])
        assert np.all(world[:3, 3] <= [1.0 + 1e-6, 0.5 + 1e-6, 2.0 + 1e-6])
        np.testing.assert_allclose(np.linalg.norm(world[:3, :3], axis=0), [1.0, 2.0, 0.5], rtol=1e-5)
        axes.append(world[:3, 2] / 0.5)
    mean, spread = np.mean(axes, axis=0), np.cov(np.transpose(axes))
    assert np.linalg.norm(mean) < 0.15
    np.testing.assert_allclose(spread, np.eye(3) / 3.0, atol=0.08)


def test_a_heading_turns_about_the_vertical_and_none_does_not_turn(rng: np.random.Generator) -> None:
    cube = scenes.cube("Cube")
    cube.rotation_euler = (0.5, 0.0, 0.0)
    current_view_layer().update()
    before = scenes.world_matrix(cube)
    box = ((0.0, 0.0, 2.0), (0.0, 0.0, 2.0))
    variations.scatter(bpy.context, [Scattered("Cube", *box, "none")], rng)
    np.testing.assert_allclose(scenes.world_matrix(cube)[:3, :3], before[:3, :3], atol=1e-6)
    variations.scatter(bpy.context, [Scattered("Cube", *box, "heading")], rng)
    turn = (scenes.world_matrix(cube) @ np.linalg.inv(before))[:3, :3]
    np.testing.assert_allclose(turn[2], [0.0, 0.0, 1.0], atol=1e-6)
    assert abs(turn[0, 1]) > 1e-3


def model_of_two(folder: Path, name: str, **entries: Any) -> Path:
    """A job of one object, where the two cubes hang on an empty as parts of one model."""
    box = [[-1.0, -1.0, 5.0], [1.0, 1.0, 6.0]]
    path = job_file(folder, objects=[{"name": name, "box": box, "turn": "any"}], variations=1, **entries)
    empty = scenes.linked(bpy.data.objects.new("Model", None), (1.0, 0.0, 2.0))
    for cube, place in zip(CUBES, (-0.5, 0.5), strict=True):
        bpy.data.objects[cube].parent = empty
        bpy.data.objects[cube].location = (place, 0.0, 0.0)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    return path


@pytest.mark.parametrize("name", ["A", "Model"])
def test_any_part_of_a_model_stands_for_the_whole(name: str, tmp_path: Path) -> None:
    assert run([str(model_of_two(tmp_path, name, save=["json", "blend"]))]) == ALL_AT_REST
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "000000.blend"))
    apart = bpy.data.objects["B"].matrix_world.translation - bpy.data.objects["A"].matrix_world.translation
    assert apart.length == pytest.approx(1.0, abs=1e-6), "the parts stay together"
    kept = json.loads((tmp_path / "out" / "000000.json").read_text())["objects"][name]
    np.testing.assert_allclose(kept["matrix_world"], scenes.world_matrix(bpy.data.objects[name]), atol=1e-6)


def test_a_part_is_put_into_its_box_by_its_own_origin(tmp_path: Path, rng: np.random.Generator) -> None:
    model_of_two(tmp_path, "A")
    place = (3.0, 4.0, 5.0)
    variations.scatter(bpy.context, [Scattered("A", place, place, "any")], rng)
    np.testing.assert_allclose(scenes.world_matrix(bpy.data.objects["A"])[:3, 3], place, atol=1e-6)


def test_objects_that_move_with_one_another_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = [{"name": name, "box": [[0, 0, 5], [1, 1, 6]]} for name in CUBES]
    path = model_of_two(tmp_path, "A")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"objects": both}))
    assert run([str(path)]) == REFUSED
    assert '"A" and "B" are parts of one model, "Model"' in capsys.readouterr().err
    bpy.data.objects["A"].parent, bpy.data.objects["B"].parent = None, bpy.data.objects["A"]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert run([str(path)]) == REFUSED
    assert '"B" hangs on "A"' in capsys.readouterr().err


def test_an_object_whose_transform_a_driver_owns_is_named(rng: np.random.Generator) -> None:
    cube = scenes.cube("Cube")
    cube.driver_add("location", 0)
    with pytest.raises(SceneError, match="a driver owns"):
        variations.scatter(bpy.context, [Scattered("Cube", (0.0, 0.0, 2.0), (0.0, 0.0, 2.0), "none")], rng)


def test_results_of_another_format_are_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = read_job(job_file(tmp_path))
    digest = job.digest()
    assert job.digest() == digest
    monkeypatch.setattr(module_of_jobs, "RESULT_FORMAT", module_of_jobs.RESULT_FORMAT + 1)
    assert job.digest() != digest
