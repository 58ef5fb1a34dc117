"""What artists have, placed by the button: a formula, a NURBS surface, a subdivided mesh and a text."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import pytest

from tests.scene import scenes
from tests.scene.test_formulas import ring
from tests.window.hand import Hand
from tests.window.placements import assert_nothing_is_open, header


def formula() -> bpy.types.Object:
    return ring("Body", R=0.7, r=0.25)


def surface(hand: Hand) -> bpy.types.Object:
    with bpy.context.temp_override(window=hand.window, area=hand.area, region=hand.region()):
        bpy.ops.surface.primitive_nurbs_surface_torus_add()
    return named(bpy.context.object)


def subdivided() -> bpy.types.Object:
    made = scenes.cube("Body")
    made.modifiers.new("Smooth", "SUBSURF").levels = 2
    made.data.shade_smooth()
    return made


def text() -> bpy.types.Object:
    curve = bpy.data.curves.new("Body", "FONT")
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
async def test_it_is_placed_by_the_button_undone_and_redone(hand: Hand, kind: str) -> None:
    make, note = MADE[kind]
    scenes.floor()
    made = make(hand)
    made.location, made.rotation_euler = (0.0, 0.0, 2.0), (0.1, 0.05, 0.0)
    scenes.activate(made)
    made.select_set(True)
    await hand.look_from_the_front(distance=12.0)
    await hand.open_tab()
    hand.scene_is_ready()
    start = body().location.z
    await hand.click_button("physplace.place")
    await hand.until(lambda: ": at rest" in header())
    await hand.move_to(hand.at((3.0, 0.0, 3.0)))
    await hand.press("RET")
    assert_nothing_is_open()
    report, rest = body()["physplace_report"].to_dict(), body().location.z
    assert report["status"] == "BALANCED"
    assert report["overlap"] < 1e-6
    assert note in report["notes"]
    assert rest < start
    await hand.screenshot(f"body-{kind}")
    await hand.undo()
    assert body().location.z == start
    await hand.redo()
    assert body().location.z == pytest.approx(rest, abs=1e-6)


async def test_a_formula_that_is_typed_anew_is_seen_and_placed_anew(hand: Hand) -> None:
    scenes.floor()
    made = formula()
    made.location.z = 2.0
    scenes.activate(made)
    made.select_set(True)
    await hand.look_from_the_front(distance=12.0)
    await hand.open_tab()
    await hand.wait()
    before = body().dimensions.z
    assert before == pytest.approx(0.5, abs=0.01)
    body()["surface.r"] = 0.4
    body().update_tag()
    await hand.until(lambda: body().dimensions.z == pytest.approx(0.8, abs=0.01))
    body()["surface.z"] = "r*sinn(v)"
    body().update_tag()
    await hand.wait()
    await hand.screenshot("formula-wrong")
    assert body().dimensions.z == pytest.approx(0.8, abs=0.01)
    body()["surface.z"] = "r*sin(v)"
    body().update_tag()
    await hand.wait()
    hand.scene_is_ready()
    await hand.click_button("physplace.place")
    await hand.until(lambda: ": at rest" in header())
    await hand.move_to(hand.at((3.0, 0.0, 3.0)))
    await hand.press("RET")
    assert body().location.z == pytest.approx(0.4, abs=1e-5)
    await hand.screenshot("formula-changed")
