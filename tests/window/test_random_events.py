"""Whatever happens, in whatever order: Blender lives, nothing is left behind, nothing is lost."""

from __future__ import annotations

import importlib
import os

import bpy
import numpy as np
import pytest

from tests.blender_data import current_view_layer, mesh_of, property_names
from tests.scene import scenes
from tests.window import afresh, extension
from tests.window.events import Performer
from tests.window.leftovers import timers
from tests.window.sequences import described, sequence
from tests.window.user import User

SEQUENCES = int(os.environ.get("PHYSPLACE_RANDOM_EVENTS", "25"))
AT_ONCE = 5
LASTING = ("'s look", "'s mesh")  # whatever is confirmed


@pytest.mark.parametrize("first", range(0, SEQUENCES, AT_ONCE))
async def test_after_random_events_nothing_is_left_and_nothing_is_lost(user: User, first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        await whatever_happens(user, seed)


async def whatever_happens(user: User, seed: int) -> None:
    """The sequence of a seed, and what holds after it."""
    drawn = sequence(seed)
    quiet = "quiet" if drawn.quiet else "not quiet"
    words = f"seed {seed}, {drawn.scene}, {quiet}: {described(drawn.events)}"
    print(f"Random events, {words}", flush=True)
    await start_afresh(user)
    performer = Performer(user, drawn.scene)
    await user.look_from_the_front()
    user.scene_is_ready()
    before = scene_now()
    await performer.perform_all(drawn.events)
    await leave(user, performer.holds)
    assert open_now() == [], words
    assert await timers(user, 2) == 0, words
    after = scene_now()
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    if drawn.quiet:
        assert changed == set(), f"{[(before.get(name), after.get(name)) for name in changed]}\n{words}"
    else:
        lasting = {name for name in changed if name in before and name in after and name.endswith(LASTING)}
        assert lasting == set(), words


async def start_afresh(user: User) -> None:
    """What each test begins with, drawn with still less."""
    await afresh.begin(user)
    space = user.space
    space.shading.type, space.show_gizmo = "WIREFRAME", False
    await user.wait(1)


async def leave(user: User, holds: bool) -> None:
    """Press Esc - for the hand, for the operator, for what Blender has open - and let go of the mouse."""
    user.place = user.at((0.0, 0.0, 1.0))
    for _ in range(3):
        for value in ("PRESS", "RELEASE"):
            user._event("ESC", value)
        await user.wait(1)
    if holds:
        user._event("LEFTMOUSE", "RELEASE")
        await user.wait(1)


def open_now() -> list[str]:
    """The operators that are under way, and what is drawn."""
    drawing = importlib.import_module(f"{extension.MODULE}.overlay.drawing")
    return [*extension.open_sessions(), *map(str, drawing.open_drawings())]


def scene_now() -> dict[str, object]:
    """All that a placement may change, and what it must not change."""
    current_view_layer().update()
    active = current_view_layer().objects.active
    found: dict[str, object] = {
        "active": active and active.name,
        "selected": {obj.name for obj in bpy.context.selected_objects},
    }
    for obj in bpy.data.objects:
        found[f"place of {obj.name}"] = tuple(scenes.world_matrix(obj).ravel())
        found[f"properties of {obj.name}"] = property_names(obj), obj.animation_data is None
        found[f"{obj.name}'s look"] = obj.display_type
        found[f"{obj.name}'s mesh"] = hash(points_of(obj))
    return found


def points_of(obj: bpy.types.Object) -> bytes:
    """The points of a mesh."""
    points = np.empty(3 * len(mesh_of(obj).vertices), dtype=np.float32)
    mesh_of(obj).vertices.foreach_get("co", points)
    return points.tobytes()
