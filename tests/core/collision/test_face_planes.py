"""A box is beyond all planes below a node only if it is beyond each of them."""

import numpy as np

from physplace_addon.core.arrays import Bools, Floats, Ints
from physplace_addon.core.collision import build_tree
from physplace_addon.core.collision.directional import Planes
from physplace_addon.core.collision.node_pairs import Motion
from physplace_addon.core.collision.tree import BoxTree
from physplace_addon.core.rigid import Pose
from tests.core.collision.soups import hostile_soup, random_pose, sphere


def passed(tree: BoxTree, node: Ints, pose: Pose, center: Floats, half: Floats, reach: float) -> Bools:
    motion = Motion(pose)
    moved, around = motion.boxes(np.concatenate([center, half]))
    planes = Planes.below(tree, node)
    heights = planes.heights(motion, half, moved - tree.boxes[:3, node], around)
    return planes.are_passed([heights], reach)


def test_what_is_passed_is_beyond_every_plane(rng: np.random.Generator) -> None:
    for triangles in (sphere(), hostile_soup(rng, 80)):
        tree = build_tree(triangles, 0.01 * rng.random(len(triangles)))
        node = np.arange(len(tree.start)).repeat(8)
        pose = random_pose(rng)
        center, half = 2.0 * rng.normal(size=(3, len(node))), 0.2 * rng.random((3, len(node)))
        found = passed(tree, node, pose, center, half, 0.05)
        assert found.any()
        signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, 8)
        for k in np.flatnonzero(found):
            held = tree.order[tree.start[node[k]] :][: tree.count[node[k]]]
            corners = pose.points((center[:, k, None] + signs * half[:, k, None]).T)
            heights = (corners - triangles[held, :1]) @ tree.planes[held, :3, None]
            bound = tree.bound[held, None, None] + 0.05 - 1e-12
            assert (heights > bound).all() or (heights < -bound).all()


def test_over_a_flat_part_nothing_is_lost(rng: np.random.Generator) -> None:
    floor = np.array([[[0.0, 0, 0], [1, 0, 0], [0, 1, 0]], [[1.0, 0, 0], [1, 1, 0], [0, 1, 0]]])
    tree = build_tree(floor)
    pose = random_pose(rng).identity()
    center, half = np.array([[0.5, 0.5], [0.5, 0.5], [0.35, 0.25]]), np.full((3, 2), 0.2)
    assert passed(tree, np.zeros(2, dtype=int), pose, center, half, 0.1).tolist() == [True, False]
