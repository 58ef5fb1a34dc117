"""What artists have, placed by the button: a formula, a NURBS surface, a subdivided mesh and a text."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import pytest

from tests.blender_data import active_object, mesh_of, of_type
from tests.scene import scenes
from tests.scene.reading.test_definitions import ring
from tests.window.placements import assert_nothing_is_open, header
from tests.window.user import User


def formula() -> bpy.types.Object:
    return ring("Body", R=0.7, r=0.25)


def surface(user: User) -> bpy.types.Object:
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        bpy.ops.surface.primitive_nurbs_surface_torus_add()
    return named(active_object())


def subdivided() -> bpy.types.Object:
    made = scenes.cube("Body")
    of_type(made.modifiers.new("Smooth", "SUBSURF"), bpy.types.SubsurfModifier).levels = 2
    mesh_of(made).shade_smooth()
    return made


def text() -> bpy.types.Object:
    curve = of_type(bpy.data.curves.new("Body", "FONT"), bpy.types.TextCurve)
    curve.body, curve.extrude, curve.size = "Rest", 0.2, 2.0
    return scenes.linked(bpy.data.objects.new("Body", curve))


def named(obj: bpy.types.Object) -> bpy.types.Object:
    obj.name = "Body"
    return obj


def body() -> bpy.types.Object:
    return bpy.data.objects["Body"]


MADE: dict[str, tuple[Callable[..., bpy.types.Object], str]] = {
    "formula": (lambda _: formula(), ""),
    "surface": (surface, "exact surface of its splines"),
    "subdivided": (lambda _: subdivided(), "limit surface of 6 faces"),
    "text": (lambda _: text(), ""),
}


@pytest.mark.parametrize("kind", MADE)
async def test_it_is_placed_by_the_button_undone_and_redone(user: User, kind: str) -> None:
    make, note = MADE[kind]
    scenes.floor()
    made = make(user)
    made.location, made.rotation_euler = (0.0, 0.0, 2.0), (0.1, 0.05, 0.0)
    scenes.activate(made)
    made.select_set(True)
    await user.look_from_the_front(distance=12.0)
    await user.open_tab()
    user.scene_is_ready()
    start = body().location.z
    await user.click_button("physplace.place")
    await user.until(lambda: ": at rest" in header())
    await user.move_to(user.at((3.0, 0.0, 3.0)))
    await user.press("RET")
    assert_nothing_is_open()
    report, rest = body()["physplace_report"].to_dict(), body().location.z
    assert report["status"] == "BALANCED"
    assert report["overlap"] < 1e-6
    assert not note or any(note in each for each in report["notes"])
    assert rest < start
    await user.screenshot(f"body-{kind}")
    await user.undo()
    assert body().location.z == start
    await user.redo()
    assert body().location.z == pytest.approx(rest, abs=1e-6)


async def test_a_formula_that_is_typed_anew_is_seen_and_placed_anew(user: User) -> None:
    scenes.floor()
    made = formula()
    made.location.z = 2.0
    scenes.activate(made)
    made.select_set(True)
    await user.look_from_the_front(distance=12.0)
    await user.open_tab()
    await user.wait()
    before = body().dimensions.z
    assert before == pytest.approx(0.5, abs=0.01)
    body()["surface.r"] = 0.4
    body().update_tag()
    await user.until(lambda: body().dimensions.z == pytest.approx(0.8, abs=0.01))
    body()["surface.z"] = "r*sinn(v)"
    body().update_tag()
    await user.wait()
    await user.screenshot("formula-wrong")
    assert body().dimensions.z == pytest.approx(0.8, abs=0.01)
    body()["surface.z"] = "r*sin(v)"
    body().update_tag()
    await user.wait()
    user.scene_is_ready()
    await user.click_button("physplace.place")
    await user.until(lambda: ": at rest" in header())
    await user.move_to(user.at((3.0, 0.0, 3.0)))
    await user.press("RET")
    assert body().location.z == pytest.approx(0.4, abs=1e-5)
    await user.screenshot("formula-changed")
