"""Seeds of faces over faces: heights are true, local minima of the mesh alone are starts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from physplace_addon.core.bodies import exact
from physplace_addon.core.collision import near_pairs
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.points.face_seeds import FaceSeeds, face_seeds, neglected
from physplace_addon.core.contact.points.interface_points import (
    InterfacePoints,
)
from physplace_addon.core.surfaces.analytic import swept
from tests.core.contact.body_pairs import (
    everything_within,
    meet,
)


def seeds_of(body_pair: BodyPair, reach: float) -> list[FaceSeeds]:
    pairs = near_pairs(body_pair.active.tree, body_pair.pose, body_pair.world.tree, reach)
    return face_seeds(body_pair, pairs[:, 0], pairs[:, 1], reach, InterfacePoints.none(), None)


def test_heights_over_a_ball_are_distances_from_its_centre(rng: np.random.Generator) -> None:
    body_pair = meet("ellipsoid", "ball", rng.normal(size=3), (0.2, 0.1, 2.0))
    for seeds in seeds_of(body_pair, 0.6):
        assert len(seeds.gap)
        centre = np.zeros(3) if seeds.on_active else body_pair.pose.points(np.zeros(3))
        if seeds.on_active:
            np.testing.assert_allclose(seeds.gap, np.linalg.norm(seeds.at - centre, axis=1) - 1.0, atol=1e-9)
        assert (np.abs(seeds.gap) <= 0.6).all()


def test_the_lowest_seed_is_a_start_and_one_valley_has_one() -> None:
    body_pair = meet("ball", "plane", (0.3, 0.2, 0.1), (0.1, 0.2, 1.05))
    (seeds,) = seeds_of(body_pair, 0.3)
    assert seeds.lowest[seeds.gap.argmin()]
    assert seeds.lowest.sum() == 1
    assert seeds.over_base.all()


def test_two_balls_of_a_dumbbell_give_a_start_each() -> None:
    profile = [(0.0, -1.5), (0.5, -1.0), (0.2, 0.0), (0.5, 1.0), (0.0, 1.5)]
    dumbbell = exact(swept.revolution(profile), "dumbbell")
    body_pair = meet(dumbbell, "plane", (0.0, 0.5 * np.pi, 0.0), (0.0, 0.0, 0.5))
    (seeds,) = seeds_of(body_pair, 0.4)
    starts = seeds.at[seeds.lowest]
    assert (starts[:, 0] > 0.5).any()
    assert (starts[:, 0] < -0.5).any()


def test_seeds_beside_a_known_minimum_are_neglected_and_lower_ones_are_not() -> None:
    body_pair = meet("ball", "plane", (0.3, 0.2, 0.1), (0.1, 0.2, 1.05))
    (seeds,) = seeds_of(body_pair, 0.3)
    known = everything_within(body_pair, 0.3)
    softness = 0.3 / body_pair.radius
    near = np.linalg.norm(seeds.at - known.point1, axis=1) < seeds.spacing
    assert near.any()
    assert (neglected(seeds, known, softness) == near).all()
    assert not neglected(seeds, replace(known, gap=known.gap + 0.2), softness).any()
    assert not neglected(seeds, known, 10.0).any()
