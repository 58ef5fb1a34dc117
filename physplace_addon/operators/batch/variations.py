# SPDX-License-Identifier: GPL-3.0-or-later
"""One variation of a scene: its objects are scattered, come to rest, and what came of it is written.

A variation depends on the job and its own number alone: it opens the scene afresh and draws from a generator
of its own.  So any machine may do any of them, in any order, with the same result.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import bpy
import numpy as np
from bpy.types import Context, Object, Scene

from ...core.arrays import Floats
from ...core.placement import Status
from ...core.rigid import quaternion_exponential, quaternion_matrix
from ...properties import PhysPlaceSettings
from ...scene.access import custom_properties, scene_of, view_layer_of
from ...scene.reading.settings import settings_of
from ...scene.reading.subjects.movers import ancestors, whole_of
from ...scene.writing.report import REPORT, last_report
from ...scene.writing.transform import object_space, set_channels
from .job_file import BatchError, BatchJob, Scattered

PHYSPLACE: Final = "physplace"  # the name space of the operators
REFUSED: Final = "REFUSED"  # the status of an object that could not be placed, beside those of placements


@dataclass(frozen=True)
class Variation:
    """What came of a variation; `as_json` is what is kept of it."""

    number: int
    objects: dict[str, dict[str, Any]]
    tries: int
    message: str

    @property
    def at_rest(self) -> bool:
        """Whether all objects are at rest."""
        return all(_at_rest(each["report"]["status"]) for each in self.objects.values())

    def as_json(self, digest: str) -> str:
        """Return the text of its file: equal for equal results, to the byte."""
        entries = {
            "variation": self.number,
            "job": digest,
            "at_rest": self.at_rest,
            "tries": self.tries,
            "message": self.message,
            "objects": self.objects,
        }
        return json.dumps(_without_infinities(entries), indent=1, allow_nan=False) + "\n"


def _without_infinities(value: Any) -> Any:
    """Return what JSON can say: no number for one that is infinite, which JSON has no word for."""
    if isinstance(value, dict):
        return {name: _without_infinities(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_infinities(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def open_scene(job: BatchJob) -> Scene:
    """Open the job's scene, give it the settings, and return it.

    Raises:
        BatchError: it is no Blender file, an object or a setting is not there, or a value has no meaning.
    """
    try:
        bpy.ops.wm.open_mainfile(filepath=str(job.scene), load_ui=False)
    except RuntimeError as error:
        found = f"Blender cannot open {job.scene} ({str(error).strip()})"
        raise BatchError(job.file, "scene", found, "give a file that this Blender opens") from error
    scene = scene_of(bpy.context)
    objects = view_layer_of(bpy.context).objects
    for each in job.objects:
        if each.name not in objects:
            found = f'the view layer of "{job.scene.name}" has no object "{each.name}"'
            raise BatchError(job.file, "objects", found, "name one that it has")
    _set_settings(job, settings_of(scene))
    _check_each_moves_alone(bpy.context, job)
    return scene


def _check_each_moves_alone(context: Context, job: BatchJob) -> None:
    """Raise BatchError where one of the job's objects goes along with another, as parts of a model do."""
    wholes: dict[Object, str] = {}
    for each in job.objects:
        obj = _object(context, each)
        whole = whole_of(obj)
        first = wholes.setdefault(whole, each.name)
        if first != each.name:
            found = f'"{first}" and "{each.name}" are parts of one model, "{whole.name}"'
            raise BatchError(job.file, "objects", found, "name one of them: it stands for the whole")
    for whole, name in wholes.items():
        carrier = next((wholes[parent] for parent in ancestors(whole) if parent in wholes), None)
        if carrier is not None:
            found = f'"{name}" hangs on "{carrier}", and moves with it'
            raise BatchError(job.file, "objects", found, "leave one of them out")


def _set_settings(job: BatchJob, settings: PhysPlaceSettings) -> None:
    """Give a scene the job's settings.

    Raises:
        BatchError: a setting is not there, or its value is not of its kind or not in its range.
    """
    for name, value in job.settings.items():
        entry = f"settings.{name}"
        if name not in settings.bl_rna.properties:
            raise BatchError(job.file, entry, "there is no such setting", "see the manual")
        try:
            setattr(settings, name, value)
        except (AttributeError, TypeError, ValueError) as error:
            raise BatchError(job.file, entry, str(error), "give a value of its kind") from error
        taken = getattr(settings, name)
        if isinstance(value, int | float) and not math.isclose(taken, value, rel_tol=1e-6):
            raise BatchError(job.file, entry, f"found {value}", f"give one in its range, such as {taken:g}")


def libraries() -> list[Path]:
    """Return the files that the open scene links data from, in a fixed order."""
    paths = (bpy.path.abspath(each.filepath, library=each.parent) for each in bpy.data.libraries)
    return sorted({Path(path).resolve() for path in paths})


def make_output(job: BatchJob) -> None:
    """Make the job's folder, if it is not there, and see that it can be written.

    Raises:
        BatchError: it cannot.
    """
    try:
        job.output.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=job.output):
            pass
    except OSError as error:
        found = f"{job.output} cannot be written ({error.strerror})"
        raise BatchError(job.file, "output", found, "give a folder that can") from error


def variation(job: BatchJob, number: int) -> Variation:
    """Return what comes of a variation; the scene is left as it then is.

    Raises:
        BatchError: of `open_scene`.
    """
    rng = np.random.default_rng([job.seed, number])
    for attempt in range(1, job.tries + 1):
        open_scene(job)
        message = _scattered_and_placed(bpy.context, job, rng)
        objects = {each.name: _result(_object(bpy.context, each)) for each in job.objects}
        found = Variation(number, objects, attempt, message)
        if not any(each["report"]["status"] in _OVERLAPPED for each in objects.values()):
            break
    return found


_OVERLAPPED: Final = frozenset({Status.INTERFERING_START.name, REFUSED})


def write(job: BatchJob, made: Variation, digest: str) -> None:
    """Write a variation's files: the scene first, so that the JSON is there only if all is.

    Raises:
        BatchError: the scene cannot be written.
        OSError: the JSON cannot.
    """
    name = name_of(made.number)
    if "blend" in job.save:
        _save_scene(job, job.output / f"{name}.blend")
    unfinished = job.output / f"{name}.json.{os.getpid()}"
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(made.as_json(digest))
        file.flush()
        os.fsync(file.fileno())  # so that it is whole on the disk, too, once it has its name
    unfinished.replace(job.output / f"{name}.json")


def _save_scene(job: BatchJob, path: Path) -> None:
    """Save the scene as it is; one of a run that was killed is no version to keep beside it."""
    path.unlink(missing_ok=True)
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, check_existing=False)
    except RuntimeError as error:
        found = f"Blender cannot write {path} ({str(error).strip()})"
        raise BatchError(job.file, "output", found, "give a folder with room that can be written") from error


def name_of(number: int) -> str:
    """Return how the files of a variation are named, without their endings."""
    return f"{number:06d}"


def finished(job: BatchJob, number: int, digest: str) -> bool | None:
    """Return whether all objects of a variation that was done before are at rest; None if it was not done.

    Raises:
        BatchError: the folder holds it as another job made it, or broken.
    """
    path: Path = job.output / f"{name_of(number)}.json"
    if not path.exists():
        return None
    try:
        kept = json.loads(path.read_text())
        made_by, at_rest = kept["job"], bool(kept["at_rest"])
    except (ValueError, TypeError, KeyError) as error:
        found = f"{path.name} there is not what this command writes"
        raise BatchError(job.file, "output", found, "delete that file, or give another folder") from error
    if made_by != digest:
        found = f"{path.name} there was made by another job"
        raise BatchError(job.file, "output", found, "give an empty folder, or delete what it holds")
    return at_rest


def scatter(context: Context, scattered: Sequence[Scattered], rng: np.random.Generator) -> None:
    """Put objects somewhere in their boxes, turned as they may be; of a part of a model goes the whole.

    Raises:
        SceneError: an object's transform is not its own.
    """
    depsgraph = context.evaluated_depsgraph_get()
    moved = []
    for each in scattered:
        obj = _object(context, each)
        whole = whole_of(obj)
        evaluated = whole.evaluated_get(depsgraph)
        space = object_space(whole, evaluated)
        origin = np.array(obj.evaluated_get(depsgraph).matrix_world.translation, np.float64)
        world = np.array(evaluated.matrix_world, np.float64)
        turn = _turn(each.turn, rng)
        world[:3, 3] = turn @ (world[:3, 3] - origin) + rng.uniform(each.lower, each.upper)
        world[:3, :3] = turn @ world[:3, :3]
        moved.append((whole, space.channels_for(world, space.channels)))
    for obj, channels in moved:
        set_channels(obj, channels)
    view_layer_of(context).update()


def _turn(kind: str, rng: np.random.Generator) -> Floats:
    """Return a rotation (3, 3) of a kind, even over all that there are."""
    if kind == "any":
        quaternion = rng.normal(size=4)
        return quaternion_matrix(quaternion / np.linalg.norm(quaternion))
    angle = rng.uniform(0.0, 2.0 * np.pi) if kind == "heading" else 0.0
    return quaternion_matrix(quaternion_exponential(np.array([0.0, 0.0, angle])))


def _scattered_and_placed(context: Context, job: BatchJob, rng: np.random.Generator) -> str:
    """Scatter the objects and let them come to rest; returns why that was refused, or nothing."""
    objects = [_object(context, each) for each in job.objects]
    scatter(context, job.objects, rng)
    for obj in objects:
        custom_properties(whole_of(obj)).pop(REPORT, None)  # so that none of before is taken for one of now
    for obj in view_layer_of(context).objects:
        obj.select_set(obj in objects)
    view_layer_of(context).objects.active = objects[0]
    operators: Any = getattr(bpy.ops, PHYSPLACE)
    try:
        if job.order == "together":
            operators.place(together=True)
        else:
            operators.drop_selected()
    except RuntimeError as error:  # how Blender tells what an operator reports as an error
        return str(error).removeprefix("Error: ").strip()
    return ""


def _object(context: Context, scattered: Scattered) -> Object:
    """Return the object of the view layer; another of the same name may be in a library."""
    return view_layer_of(context).objects[scattered.name]


def _result(obj: Object) -> dict[str, Any]:
    report = last_report(whole_of(obj))
    matrix = np.array(obj.matrix_world, np.float64).tolist()
    return {"matrix_world": matrix, "report": dict(report) if report else {"status": REFUSED}}


def _at_rest(status: str) -> bool:
    return status in Status.__members__ and Status[status].at_rest
