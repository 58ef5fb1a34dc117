"""How far bodies may go on the paths of a step before any two of them come too near to each other."""

from __future__ import annotations

import numpy as np

from ..contact.system import RigidPaths, motion_stops
from ..rigid import quaternion_conjugate, quaternion_product, rotation_vector
from .motion import Motion
from .scene import Scene
from .step import Moment


def free_part(scene: Scene, start: Moment, end: Motion) -> float:
    """Return the part of the paths from a moment to a motion that may be gone, 1 for all of them.

    On its path a body shifts and turns evenly.  Nothing comes nearer than half of the gap that contacts keep,
    or .4 of what it was at the start where that is less.
    """
    begin = start.motion
    turn = rotation_vector(quaternion_product(end.rotation, quaternion_conjugate(begin.rotation)))
    paths = RigidPaths(end.centre - begin.centre, np.zeros_like(begin.centre), turn)
    return motion_stops(start.system, paths, scene.hold).first
