"""The view stays alive: how often it is drawn while a large body is placed in a large world."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import bpy
import numpy as np
import pytest

from tests.blender_data import active_object, operators_of, physplace, scene_settings, window_manager
from tests.scene import scenes
from tests.window import afresh, extension
from tests.window.resizing import resize
from tests.window.user import User, tick

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


TICKS = 24
ONLY_MOVING = "only moving"
LEAST = 0.6  # of the ticks that an operator gets which does nothing but move the object
START = (-7.0, 0.0, 2.0)


def mesh(name: str, points: np.ndarray, quads: np.ndarray) -> bpy.types.Object:
    """An object of quadrilaterals, points (..., 3) and quads (..., 4)."""
    data = bpy.data.meshes.new(name)
    data.from_pydata(points.reshape(-1, 3).tolist(), [], quads.reshape(-1, 4).tolist())
    return scenes.linked(bpy.data.objects.new(name, data))


def floor(cells: int = 317, half: float = 10.0) -> bpy.types.Object:
    """A level plane of 2 cells^2 triangles, 200,978."""
    line = np.linspace(-half, half, cells + 1)
    x, y = np.meshgrid(line, line, indexing="ij")
    a = np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)
    quads = np.stack([a, a + cells + 1, a + cells + 2, a + 1], axis=-1)
    return mesh("Floor", np.stack([x, y, np.zeros_like(x)], axis=-1), quads)


def ring(around: int = 200, across: int = 50) -> bpy.types.Object:
    """A ring of 2 around across triangles, 20,000."""
    u, v = (2.0 * np.pi * np.arange(count) / count for count in (around, across))
    out, up = 1.0 + 0.25 * np.cos(v), np.broadcast_to(0.25 * np.sin(v), (around, across))
    points = np.stack([np.outer(np.cos(u), out), np.outer(np.sin(u), out), up], axis=-1)
    a = np.arange(around * across).reshape(around, across)
    b = np.roll(a, -1, axis=0)
    return mesh("Ring", points, np.stack([a, b, np.roll(b, -1, axis=1), np.roll(a, -1, axis=1)], axis=-1))


class MOVING_OT_only(bpy.types.Operator):
    """Moves the active object in the ticks of a timer, and does nothing else."""

    bl_idname = "moving.only"
    bl_label = "Only Move"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        self.count = 0
        self.timer = window_manager().event_timer_add(0.001, window=context.window)
        window_manager().modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        if event.type == "ESC":
            window_manager().event_timer_remove(self.timer)
            active_object().location = START
            return {"CANCELLED"}
        if event.type == "TIMER":
            self.count += 1
            active_object().location.x = START[0] + 0.3 * np.sin(0.1 * self.count)
        return {"PASS_THROUGH"}


async def invoked(user: User, operator: Callable[[str], set[str]]) -> None:
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert operator("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await user.wait()


def ring_at() -> np.ndarray:
    return np.array(bpy.data.objects["Ring"].matrix_world.translation)


def worked() -> float:
    """Seconds that this Blender has worked: its main thread and, on all cores at once, the threads that draw.

    That is what passes on a machine that does nothing else; what else this one does is not counted.
    """
    alone = time.thread_time()
    return alone + (time.process_time() - alone) / (os.cpu_count() or 1)


class Paces:
    """Ticks a second of what was measured, and how often the ring moved in them, by its name."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.of: dict[str, float] = {}
        self.moves: dict[str, float] = {}

    async def measure(self, name: str, pixels: int = 0) -> None:
        """Let ticks pass, the mouse going so many pixels a tick to the right; the ring moves all the time."""
        start, begin = ring_at(), worked()
        seen = {start.tobytes()}
        for _ in range(TICKS):
            if pixels:
                await self.user.glide_to((self.user.place[0] + pixels, self.user.place[1]), steps=1)
            else:
                await tick()
            seen.add(ring_at().tobytes())
        seconds = worked() - begin
        self.of[name], self.moves[name] = TICKS / seconds, (len(seen) - 1) / seconds
        assert np.abs(ring_at() - start).max() > 0.01, f"{name}: it does not move"

    def shares(self) -> dict[str, float]:
        """Of the ticks that an operator gets which only moves the ring."""
        return {name: pace / self.of[ONLY_MOVING] for name, pace in self.of.items()}


@pytest.mark.pace
async def test_it_gets_six_tenths_of_the_ticks_that_only_moving_it_gets(user: User) -> None:
    bpy.utils.register_class(MOVING_OT_only)
    afresh.draw(user, fully=True)
    floor()
    obj = ring()
    obj.location, obj.rotation_euler = START, (0.3, 0.2, 0.1)
    obj.select_set(True)
    scenes.activate(obj)
    settings = scene_settings()
    settings.use_scene_gravity, settings.gravity = False, (0.1, 0.0, -1.0)
    await resize(user, (640, 480))
    await user.look_from_the_front((-4.0, 0.0, 1.0), 16.0)
    user.scene_is_ready()
    paces = Paces(user)
    await invoked(user, operators_of("moving").only)
    await paces.measure(ONLY_MOVING)
    await user.press("ESC")
    await user.move_to(user.at(START))
    await invoked(user, physplace.place)
    assert extension.open_sessions() == ["PHYSPLACE_OT_place"]
    await paces.measure("falling over")
    await user.until(lambda: ring_at()[2] < 0.26)
    await paces.measure("sliding along the floor")
    await user.screenshot("sliding")
    await user.press("G")
    await paces.measure("by hand along the floor", 3)
    assert ring_at()[2] < 0.26
    await user.glide_to(user.at((-5.0, 0.0, 4.0)))
    await user.until(lambda: ring_at()[2] > 1.5)
    await paces.measure("by hand in the air", 3)
    await user.screenshot("in-the-air")
    await user.press("ESC")
    await user.press("ESC")
    await resize(user, (800, 600))
    bpy.utils.unregister_class(MOVING_OT_only)
    shares = paces.shares()
    figures = [
        f"{name}: {paces.of[name]:.1f} ticks a second, {share:.2f}; {paces.moves[name]:.1f} moves a second"
        for name, share in shares.items()
    ]
    (user.pictures / "ticks.txt").write_text("\n".join(figures) + "\n")
    assert min(shares.values()) >= LEAST, figures
