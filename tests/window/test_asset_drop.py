"""An asset that is dragged from the asset browser into the view comes to rest there, if that is wanted."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, cast

import bpy
import pytest

from tests.blender_data import preferences, property_names, window_manager
from tests.scene import scenes
from tests.window import extension
from tests.window.leftovers import assert_nothing_is_open
from tests.window.user import User


@contextmanager
def drops_are_placed() -> Iterator[None]:
    """The preferences have what is dropped come to rest."""
    chosen = cast("Any", preferences().addons[extension.MODULE].preferences)
    chosen.place_dropped = True
    try:
        yield
    finally:
        chosen.place_dropped = False


LIBRARY = "Bricks"


@contextmanager
def library_of(asset: bpy.types.Object | bpy.types.Collection) -> Iterator[str]:
    """An asset library with a file that has one asset, which is in this file no more."""
    libraries: Any = preferences().filepaths.asset_libraries
    with tempfile.TemporaryDirectory() as folder:
        bpy.data.libraries.write(str(Path(folder, "bricks.blend")), {asset}, fake_user=True)
        remove(asset)
        library = libraries.new(name=LIBRARY, directory=folder)
        try:
            yield LIBRARY
        finally:
            libraries.remove(library)


def remove(asset: bpy.types.Object | bpy.types.Collection) -> None:
    if isinstance(asset, bpy.types.Collection):
        for obj in list(asset.objects):
            bpy.data.objects.remove(obj)
        bpy.data.collections.remove(asset)
    else:
        bpy.data.objects.remove(asset)


def collection_asset() -> bpy.types.Collection:
    """Two bricks, one upon the other, as one asset that the scene does not have; there is a floor."""
    scenes.floor()
    bricks = bpy.data.collections.new("Bricks")
    for name, z in (("Lower", 0.0), ("Upper", 2.0)):
        brick = scenes.cube(name, (0.0, 0.0, z))
        for collection in brick.users_collection:
            collection.objects.unlink(brick)
        bricks.objects.link(brick)
    bricks.asset_mark()
    return bricks


def asset() -> bpy.types.Object:
    """A brick that is an asset, below the floor and not seen."""
    scenes.floor()
    brick = scenes.cube("Brick", (0.0, 0.0, -50.0))
    brick.asset_mark()
    brick.hide_set(True)
    return brick


async def browse(user: User, library: str) -> None:
    """The floor is seen from the front, and beside the view the asset browser shows a library."""
    bpy.ops.object.select_all(action="DESELECT")
    await user.look_from_the_front()
    user.scene_is_ready()
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        bpy.ops.screen.area_split(direction="VERTICAL", factor=0.6)
    await user.wait()
    areas = [area for area in user.window.screen.areas if area.type == "VIEW_3D"]
    right = min(areas, key=lambda area: area.width)
    right.ui_type = "ASSETS"
    await user.wait(10)
    space = cast("Any", right.spaces.active)
    space.params.asset_library_reference = library
    space.show_region_toolbar = False
    await user.wait(30)


def browser() -> bpy.types.Area:
    screen = window_manager().windows[0].screen
    return next(area for area in screen.areas if area.type == "FILE_BROWSER")


async def drop_the_brick(user: User) -> None:
    """Drag the asset, the only one, from the browser into the view."""
    region = next(region for region in browser().regions if region.type == "WINDOW")
    start = (region.x + 50, region.y + region.height - 60)
    await user.move_to(start)
    await user.wait(10)
    await user.hold()
    await user.glide_to((start[0] - 40, start[1] - 5), steps=6)
    await user.glide_to(user.at((0.0, 0.0, 3.0)), steps=8)
    await user.release()
    await user.wait(5)


def dropped() -> list[bpy.types.Object]:
    return [obj for obj in bpy.data.objects if obj.name.startswith("Brick") and obj.location.z > -40.0]


async def test_an_asset_of_this_file_that_is_dropped_comes_to_rest(user: User) -> None:
    asset()
    await browse(user, "LOCAL")
    with drops_are_placed():
        await drop_the_brick(user)
        await user.until(lambda: not extension.open_sessions())
    await user.screenshot("dropped")
    (brick,) = dropped()
    assert "physplace_report" in property_names(brick)
    assert brick.location.z == pytest.approx(1.0, abs=1e-5)
    assert_nothing_is_open()
    await user.undo()
    (brick,) = dropped()
    assert brick.location.z > 1.5, "it is where it was dropped"
    await user.wait(10)
    assert_nothing_is_open()


async def test_an_asset_of_a_library_that_is_dropped_comes_to_rest(user: User) -> None:
    with library_of(asset()) as library:
        await browse(user, library)
        with drops_are_placed():
            await drop_the_brick(user)
            await user.until(lambda: not extension.open_sessions())
        await user.screenshot("dropped-from-library")
    (brick,) = dropped()
    assert "physplace_report" in property_names(brick)
    assert brick.location.z == pytest.approx(1.0, abs=1e-5)
    assert_nothing_is_open()


@pytest.mark.parametrize("of_this_file", [True, False])
async def test_a_collection_that_is_dropped_comes_to_rest_as_one_thing(
    user: User, of_this_file: bool
) -> None:
    bricks = collection_asset()
    with library_of(bricks) if not of_this_file else nullcontext("LOCAL") as library:
        await browse(user, library)
        with drops_are_placed():
            await drop_the_brick(user)
            await user.until(lambda: not extension.open_sessions())
    await user.screenshot("collection-dropped")
    (instance,) = [obj for obj in bpy.data.objects if obj.instance_collection is not None]
    assert "physplace_report" in property_names(instance)
    assert instance.matrix_world.translation.z == pytest.approx(1.0, abs=1e-5)
    assert_nothing_is_open()


async def test_an_instance_that_a_menu_adds_stays_where_it_was_added(user: User) -> None:
    bricks = collection_asset()
    user.scene_is_ready()
    with drops_are_placed():
        with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
            bpy.ops.object.collection_instance_add(
                "EXEC_DEFAULT", True, collection=bricks.name, location=(0, 0, 5)
            )
        await user.wait(10)
        assert not extension.open_sessions()
    (instance,) = [obj for obj in bpy.data.objects if obj.instance_collection is not None]
    assert instance.location.z == 5.0
    assert "physplace_report" not in property_names(instance)


async def test_unless_that_is_wanted_it_stays_where_it_was_dropped(user: User) -> None:
    asset()
    await browse(user, "LOCAL")
    await drop_the_brick(user)
    (brick,) = dropped()
    assert "physplace_report" not in property_names(brick)
    assert brick.location.z > 1.5
    assert_nothing_is_open()
