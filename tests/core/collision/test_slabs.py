"""Nodes and triangles along the normal of the largest flat part of the second body."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.collision import near_pairs, tree_of
from physplace_addon.core.collision.node_pairs import Motion
from physplace_addon.core.collision.slabs import AlongFlat
from physplace_addon.core.collision.tree import BoxTree
from physplace_addon.core.rigid import Pose
from tests.core.contact.regions.prisms import prism
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES
from tests.oracles.frames import quaternion_of, random_rotation

GAP = 1e-9


def leaning_prism(turn: Floats) -> BoxTree:
    """A fine prism whose mesh stands in a turned frame."""
    body = prism(1200)
    return tree_of(polyhedron(body.points @ turn.T, body.triangle_corners, "prism"))


def table() -> BoxTree:
    """A slab 8 wide whose upper face is at 0."""
    points = CUBE_POINTS - CUBE_POINTS.mean(axis=0)
    points = points / np.ptp(points, axis=0) * [8.0, 8.0, 0.2] - [0.0, 0.0, 0.1]
    return tree_of(polyhedron(points, CUBE_TRIANGLES, "table"))


@pytest.mark.parametrize("gap", [GAP, 0.01])
def test_no_pair_is_near_where_a_prism_of_any_frame_stands_over_a_table(
    gap: float, rng: np.random.Generator
) -> None:
    turn = random_rotation(rng)
    pose = Pose(quaternion_of(turn.T), np.array([0.1, 0.2, 0.5 + gap]))
    assert len(near_pairs(leaning_prism(turn), pose, table(), 0.5 * gap)) == 0
    assert len(near_pairs(leaning_prism(turn), pose, table(), 2.0 * gap)) > 0


def test_only_what_is_apart_is_said_to_be(rng: np.random.Generator) -> None:
    first, second = leaning_prism(random_rotation(rng)), table()
    for reach in (0.0, 0.1):
        motions = [Motion(Pose(quaternion_of(random_rotation(rng)), rng.normal(size=3))) for _ in range(2)]
        test = AlongFlat(first, motions, second, reach)
        assert test.pays
        normal = second.slabs.direction
        moved = [
            first.triangles @ (motion.matrix.T @ normal) + normal @ motion.translation for motion in motions
        ]
        heights, fixed = np.concatenate(moved, axis=1), second.triangles @ normal
        node1 = rng.integers(len(first.start), size=300)
        node2 = rng.integers(len(second.start), size=300)
        apart = test.nodes(node1, node2)
        for one, other, said in zip(node1.tolist(), node2.tolist(), apart.tolist(), strict=True):
            mine = heights[first.order[first.start[one] : first.start[one] + first.count[one]]]
            theirs = fixed[second.order[second.start[other] : second.start[other] + second.count[other]]]
            away = max(mine.min() - theirs.max(), theirs.min() - mine.max())
            assert not said or away > reach
        one, other = (rng.integers(len(tree.bound), size=300) for tree in (first, second))
        away = np.maximum(
            heights[one].min(axis=1) - fixed[other].max(axis=1),
            fixed[other].min(axis=1) - heights[one].max(axis=1),
        )
        said = test.triangles(one, other)
        assert (away[said] > reach).all()
        assert said[away > reach + 1e-12].all()


def test_it_is_not_tried_where_nothing_large_is_flat(rng: np.random.Generator) -> None:
    points = rng.normal(size=(300, 3, 3))
    tree = tree_of(polyhedron(points.reshape(-1, 3), np.arange(900).reshape(-1, 3), "soup"))
    motion = [Motion(Pose.identity())]
    assert not AlongFlat(leaning_prism(np.eye(3)), motion, tree, 0.0).pays
    assert not AlongFlat(table(), motion, table(), 0.0).pays
