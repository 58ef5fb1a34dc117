"""Both tests of a rest at once: what the best contact forces leave, and what the best small motion gains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.oracles.balance import balanced
from tests.oracles.contacts import contacts
from tests.oracles.facing import Solid
from tests.oracles.perturbation import Scene, motions, steepest_fall

TOUCHING = 1e-8  # gap / radius of a contact


@dataclass(frozen=True)
class Judged:
    """imbalance: of the best forces, over the weight; drop: of the energy by the best motion that was found,
    over the radius, 0 for none; tried and impossible: how many motions were tried, and were forbidden.
    """

    imbalance: float
    drop: float
    tried: int
    impossible: int


def judged(
    solids: list[Solid],
    active: int = 1,
    radius: float = 1.0,
    weights: None = None,
    friction: float = 0.0,
    mixes: int = 6,
) -> Judged:
    """Judge the first `active` solids at rest among the others; see `balance` and `perturbation`."""
    scene = Scene(solids, active, radius, weights)
    found = contacts(solids, scene.pairs, TOUCHING * radius, radius)
    centres, radii = [solid.centre for solid in solids[:active]], np.full(active, radius)
    held = balanced(found, centres, scene.weights, radii, friction)
    tried = steepest_fall(scene, motions(scene, found, np.random.default_rng(8), mixes))
    drop = tried.fall.drop if tried.fall else 0.0
    return Judged(held.imbalance, drop, tried.count, tried.impossible)
