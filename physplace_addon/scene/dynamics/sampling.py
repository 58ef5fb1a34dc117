# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of animated objects on other frames than the present one: given motions, and velocities.

A velocity at the end of a keyed motion is the one-sided difference of second order of three poses: with the
change c1 over a time d and c2 over 2 d up to now, it is (4 c1 - c2) / (2 d).  It is exact for linear keys and
for parabolas; for rotations the changes are rotation vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np
from bpy.types import Context, Object, Scene

from ...core.arrays import Floats
from ...core.dynamics.driving.tracks import Track
from ...core.jobs import Job, Progress
from ...core.rigid import Pose, quaternion_conjugate, quaternion_product, rotation_vector
from ..access import scene_of, view_layer_of
from ..affine import PoseAndStretch, is_invertible, split
from ..errors import SceneError
from ..references import by_full_name
from ..writing.animated_values import AnimatedValues

FRAMES_A_SLICE: Final = 8
BEFORE: Final = 0.25  # frames between the poses whose differences are a velocity
STANDS: Final = 1e-6  # largest change of a matrix, over its largest entry, of an object that stands still
KEEPS_SHAPE: Final = 1e-4  # the same of the stretch of an object that keeps its shape


@dataclass(frozen=True, eq=False)
class SampledPath:
    """An object's poses on some frames, and its stretches (f, 3, 3)."""

    poses: tuple[Pose, ...]
    stretches: Floats

    @classmethod
    def of(cls, sampled: Sequence[PoseAndStretch]) -> SampledPath:
        """Return the path of what was sampled on each frame."""
        return cls(tuple(each.pose for each in sampled), np.array([each.stretch for each in sampled]))

    @property
    def is_still(self) -> bool:
        """Whether it has the same pose on all frames."""
        matrices = np.array([pose.matrix4 for pose in self.poses])
        return bool(np.abs(matrices - matrices[0]).max() <= STANDS * np.abs(matrices).max())

    @property
    def keeps_shape(self) -> bool:
        """Whether its scale is the same on all frames."""
        change = np.abs(self.stretches - self.stretches[0]).max()
        return bool(change <= KEEPS_SHAPE * np.abs(self.stretches).max())

    def track(self, seconds_a_frame: float) -> Track:
        """Return the path as a motion that is given, from time 0 on."""
        return Track.of((seconds_a_frame * np.arange(len(self.poses))).tolist(), self.poses)


def may_move(obj: Object) -> bool:
    """Return whether another frame may show an object elsewhere."""
    return _is_animated(obj) or (
        obj.parent is not None and (obj.parent_type == "BONE" or may_move(obj.parent))
    )


def _is_animated(obj: Object) -> bool:
    data = obj.animation_data
    keyed = data is not None and (data.action is not None or len(data.drivers) or len(data.nla_tracks))
    return bool(keyed) or any(not constraint.mute for constraint in obj.constraints)


def sampling(
    context: Context, names: Sequence[str], frames: Sequence[float]
) -> Job[Mapping[str, SampledPath]]:
    """Return the paths of objects, by full name, over frames, in slices; the scene is as it was between two.

    Raises SceneError for an object without a size, or without a place, on one of them.
    """
    found: dict[str, list[PoseAndStretch]] = {name: [] for name in names}
    for done in range(0, len(frames) if names else 0, FRAMES_A_SLICE):
        yield Progress("Reading what is animated", done / len(frames))
        with other_frames_shown(context):
            objects = by_full_name()
            for frame in frames[done : done + FRAMES_A_SLICE]:
                show_frame(scene_of(context), frame)
                depsgraph = context.evaluated_depsgraph_get()
                for name in names:
                    found[name].append(_sampled(objects[name].evaluated_get(depsgraph), frame))
    return {name: SampledPath.of(sampled) for name, sampled in found.items()}


def _sampled(evaluated: Object, frame: float) -> PoseAndStretch:
    matrix = np.array(evaluated.matrix_world, dtype=np.float64)
    if not is_invertible(matrix):
        found = f"its scale is zero, or it has no place, on frame {frame:g}"
        raise SceneError(evaluated.name, found, "give it a scale other than zero on every axis")
    return split(matrix)


def show_frame(scene: Scene, frame: float) -> None:
    """Show a frame, or a time between two frames."""
    whole = int(np.floor(frame))
    scene.frame_set(whole, subframe=frame - whole)


@contextmanager
def other_frames_shown(context: Context) -> Iterator[None]:
    """Show other frames while the block lasts, without Blender's own rigid bodies; then all is as before.

    Also what an artist has changed of something animated without a key.
    """
    scene = scene_of(context)
    frame, world = scene.frame_current_final, scene.rigidbody_world
    values = AnimatedValues.of_all()
    simulating = world if world is not None and world.enabled else None
    if simulating is not None:
        simulating.enabled = False
    try:
        yield
    finally:
        show_frame(scene, frame)
        values.put_back()
        if simulating is not None:
            simulating.enabled = True
        view_layer_of(context).update()


def frames_before(frame: int) -> tuple[float, float, float]:
    """Return the frames whose poses say how something moves on a frame."""
    return frame - 2.0 * BEFORE, frame - BEFORE, float(frame)


def velocity(path: SampledPath, centre: Floats, seconds_a_frame: float) -> tuple[Floats, Floats]:
    """Return the velocity (3,) of a point (3,) of an object, and its angular velocity (3,), in the scene.

    path: its poses on `frames_before` a frame.
    """
    if path.is_still:
        return np.zeros(3), np.zeros(3)
    first, second, now = path.poses
    places = [pose.points(centre) for pose in path.poses]
    turns = [
        rotation_vector(quaternion_product(now.rotation, quaternion_conjugate(before.rotation)))
        for before in (first, second)
    ]
    twice = 2.0 * BEFORE * seconds_a_frame
    linear: Floats = (4.0 * (places[2] - places[1]) - (places[2] - places[0])) / twice
    angular: Floats = (4.0 * turns[1] - turns[0]) / twice
    return linear, angular
