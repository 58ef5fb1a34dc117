"""A blob is seen as a surface in a real window: unsculpted, with a crate on it, while it is changed."""

from __future__ import annotations

import importlib
from time import process_time
from typing import Any, cast

import bpy
import numpy as np

from tests.blender_data import current_view_layer, physplace
from tests.scene import scenes
from tests.window import extension
from tests.window.placements import header
from tests.window.user import User


def the_live_module() -> Any:
    return importlib.import_module(f"{extension.MODULE}.operators.blobs.live")


def mesh_of(name: str = "Blob") -> bpy.types.Mesh:
    return cast("bpy.types.Mesh", bpy.data.objects[name].data)


def widest(name: str = "Blob") -> float:
    """How far the mesh goes to the right, in the blob's own coordinates."""
    places = np.zeros(3 * len(mesh_of(name).vertices), dtype=np.float32)
    mesh_of(name).vertices.foreach_get("co", places)
    return float(places.reshape(-1, 3)[:, 0].max(initial=-np.inf))


async def two_balls(user: User) -> None:
    physplace.blob_add(location=(-0.7, 0.0, 0.0))
    physplace.blob_add(location=(0.7, 0.0, 0.0))
    await user.look_from_the_front(centre=(0.0, 0.0, 0.0), distance=10.0)
    await user.until(lambda: is_current())


def is_current(name: str = "Blob") -> bool:
    module = the_live_module()
    return bool(module.live.status(bpy.data.objects[name]) is module.LiveStatus.CURRENT)


async def test_a_blob_is_seen_without_sculpting_and_is_selected_by_a_click(user: User) -> None:
    await two_balls(user)
    scenes.activate(scenes.cube("Crate", (0.0, 0.0, 3.0)))
    await user.screenshot("live_blob")
    await user.click(user.at((1.1, 0.0, 0.4)))
    active = current_view_layer().objects.active
    assert active is not None
    assert active.name == "Blob"


async def test_a_crate_is_placed_on_a_blob_that_is_seen_all_the_time(user: User) -> None:
    await two_balls(user)
    scenes.activate(scenes.cube("Crate", (0.0, 0.0, 3.0)))
    seen: list[int] = []
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.place("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    for _ in range(20):
        await user.wait(1)
        seen.append(len(mesh_of().vertices))
    await user.screenshot("live_placing")
    await user.until(lambda: "at rest" in header())
    await user.press("RET")
    assert min(seen) > 500
    assert bpy.data.objects["Crate"].location.z < 2.2
    await user.screenshot("live_crate")
    assert is_current()


async def test_the_mesh_follows_an_element_that_is_moved_ten_times_a_second(user: User) -> None:
    """With 2,000 particles; of the main thread's time, every update of the whole scene counts."""
    await two_balls(user)
    blob = bpy.data.objects["Blob"]
    blob["blob.sigma"] = 0.061
    blob.update_tag()
    await user.until(is_current)
    sampled = importlib.import_module(f"{extension.MODULE}.scene.blobs.meshes")
    models = importlib.import_module(f"{extension.MODULE}.scene.blobs.models")
    particles = len(sampled.spread_over(models.read_blob(blob)))
    assert 1800 < particles < 2400
    fine = len(mesh_of().vertices)
    ball, spent, widths = bpy.data.objects["Sphere"], 0.0, set()
    for step in range(30):
        ball = bpy.data.objects["Sphere.001"]
        ball.location.x += 0.02
        begun = process_time()
        current_view_layer().update()
        spent += process_time() - begun
        widths.add(round(widest(), 4))
        await user.wait(4)
        assert len(mesh_of().vertices) > 200, f"step {step}"
    print(f"live mesh: {particles} particles, {fine} vertices when still, {spent / 30:.4f} s an update")
    assert len(widths) > 20, "it follows while it is moved"
    assert spent / 30 < 0.1
    await user.until(is_current)
    assert len(mesh_of().vertices) > 0.8 * fine
    await user.screenshot("live_moved")


async def test_what_g_does_to_an_element_is_seen_and_undone(user: User) -> None:
    await two_balls(user)
    user.scene_is_ready()
    start = widest()
    scenes.activate(bpy.data.objects["Sphere.001"])
    await user.move_to(user.at((0.7, 0.0, 0.0)))
    await user.press("G")
    await user.glide_to(user.at((1.9, 0.0, 0.5)), 8)
    assert widest() > start + 0.6, "it follows while G goes on"
    await user.screenshot("live_g")
    await user.press("RET")
    moved = widest()
    await user.undo()
    await user.until(lambda: is_current() and abs(widest() - start) < 0.02)
    await user.redo()
    await user.until(lambda: is_current() and abs(widest() - moved) < 0.1)


async def test_a_blob_is_deleted_duplicated_and_undone_as_one(user: User) -> None:
    await two_balls(user)
    physplace.blob_add(kind="cylinder", location=(0.0, 0.0, 1.0), radius=0.4)
    await user.until(is_current)
    user.scene_is_ready()
    names = sorted(bpy.data.objects.keys())
    assert physplace.blob_duplicate() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Duplicate Blob")
    assert len(bpy.data.objects) == 2 * len(names)
    await user.undo()
    assert sorted(bpy.data.objects.keys()) == names
    scenes.activate(bpy.data.objects["Cylinder"])
    assert physplace.blob_delete() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Delete Blob")
    assert not bpy.data.objects
    assert not bpy.data.collections
    await user.undo()
    assert sorted(bpy.data.objects.keys()) == names
    await user.until(is_current)
    assert widest() > 1.5


async def test_escape_ends_the_making_of_a_fine_mesh(user: User) -> None:
    await two_balls(user)
    bpy.data.objects["Blob"]["blob.sigma"] = 0.03
    scenes.activate(bpy.data.objects["Blob"])
    user.scene_is_ready()
    before = sorted(bpy.data.objects.keys())
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.blob_mesh("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await user.wait(3)
    assert 'Spreading particles over "Blob"' in header()
    await user.press("ESC")
    await user.wait(3)
    assert not extension.open_sessions()
    assert sorted(bpy.data.objects.keys()) == before
