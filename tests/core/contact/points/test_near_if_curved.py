"""Near triangles of curved surfaces: none is left out whose true surface is near, and most others are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.collision import near_pairs
from physplace_addon.core.contact.contact_body import ContactBody
from physplace_addon.core.contact.points.generation import near_if_curved
from physplace_addon.core.rigid import Pose, Poses
from tests.bodies_of_the_paper import Paired, cone, cuboid, torus
from tests.oracles.frames import quaternion_of, random_rotation

_SIDE = 5  # samples along a triangle's side
_WEIGHTS = np.array([[i, j, _SIDE - 1 - i - j] for i in range(_SIDE) for j in range(_SIDE - i)]) / (_SIDE - 1)


def _samples(body: Body) -> Floats:
    """Return points (t, s, 3) of the true surface in each triangle."""
    uv = np.einsum("si,tij->tsj", _WEIGHTS, body.triangle_uv)
    face = np.repeat(body.triangle_face, len(_WEIGHTS))
    return body.face_points(face, uv.reshape(-1, 2)).reshape(len(uv), -1, 3)


@pytest.mark.parametrize("made", [torus, cone])
def test_pairs_are_left_out_where_true_surfaces_are_far(
    made: Callable[..., Paired], rng: np.random.Generator
) -> None:
    round_ = made(resolution=(8, 6)).body
    block = polyhedron(*cuboid([0.0, 0.0, 0.0], [1.0, 1.0, 0.1]), "block")
    first, second = ContactBody.of([round_]), ContactBody.of([block])
    every = np.indices((len(round_.triangles), len(block.triangles))).reshape(2, -1)
    every = every[:, ~(first.triangle_plain[every[0]] & second.triangle_plain[every[1]])]
    reach, found, boxes = 0.1, 0, 0
    for _ in range(3):
        pose = Pose(quaternion_of(random_rotation(rng)), np.array([0.0, 0.0, rng.uniform(0.3, 0.9)]))
        kept = near_if_curved(first, second, every[0], every[1], pose, reach)
        asked = set(zip(*every[:, kept].tolist(), strict=True))
        here, there = pose.points(_samples(round_).reshape(-1, 3)), _samples(block).reshape(-1, 3)
        away = np.linalg.norm(here[:, None] - there, axis=2)
        away = away.reshape(len(round_.triangles), len(_WEIGHTS), len(block.triangles), len(_WEIGHTS))
        near = {(i, j) for i, j in np.argwhere(away.min(axis=(1, 3)) <= reach).tolist()}
        assert near <= asked
        found += len(near)
        of_boxes = near_pairs(first.tree, pose, second.tree, reach)
        boxes += int(np.count_nonzero(~first.triangle_plain[of_boxes[:, 0]])) - len(asked)
        many = near_if_curved(first, second, every[0], every[1], Poses.of([pose] * every.shape[1]), reach)
        np.testing.assert_array_equal(many, kept)
    assert found > 10
    assert boxes > 10
