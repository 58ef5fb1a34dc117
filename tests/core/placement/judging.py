"""Is the end of an experiment a rest?  Judged by two tests that share nothing with the solver.

`tests.oracles.judgement`: a linear programme of contact forces at contacts measured on exact shapes, and
perturbation.
"""

from __future__ import annotations

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.placement import Status
from tests.core.placement.drops import Run
from tests.core.placement.experiments import active_of, standing
from tests.oracles.facing import Solid, ground
from tests.oracles.judgement import judged
from tests.oracles.shapes import Superquadric

HELD = 1e-6  # imbalance, over the weight
FLAT = 1e-4  # the same where a pole is so flat that rounding hides where it touches


def solids_at(name: str, rotation: Floats, position: Floats) -> list[Solid]:
    """The experiment's exact shapes, the active one first, at a pose of it."""
    around = standing(name)[0]
    parts = [] if around is None else zip(around.shapes, around.places, strict=True)
    support = [Solid(shape, np.eye(3), place) for shape, place in parts]
    return [Solid(active_of(name).shape, rotation, position), ground(), *support]


def assert_is_a_rest(name: str, finished: Run) -> None:
    """The end of a run stands both tests."""
    solids = solids_at(name, finished.rotations[-1], finished.positions[-1])
    found = judged(solids, radius=finished.radius)
    most = FLAT if isinstance(solids[0].shape, Superquadric) else HELD
    assert found.imbalance < most or finished.certificate.status is Status.AT_ENERGY_MINIMUM, finished.label
    assert found.drop == 0.0, finished.label
    assert found.impossible < found.tried / 2, finished.label
