"""A world of standing bodies and the one that moves in it."""

import gc
import weakref

import numpy as np
import pytest

from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.collision import World, clearance, free_travel, near_pairs, tree_of
from physplace_addon.core.rigid import Pose

from .soups import shifted, sphere, torus

DOWN = np.array([0.0, 0.0, -1.0])


def body(triangles, name):
    return polyhedron(triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3), name)


@pytest.fixture
def bodies():
    plate = 9.0 * np.array([[[-1.0, -1, 0], [1, -1, 0], [0, 1, 0]]])
    return [body(shifted(plate, 0.0, 0.0, -2.0), "floor"), body(shifted(sphere(), 3.0, 0.0, -1.0), "ball")]


def test_the_world_answers_as_its_merged_body_does(bodies):
    ring, pose = body(torus(), "ring"), Pose(np.array([1.0, 0.2, 0.1, 0.3]), np.array([1.4, 0.0, -0.3]))
    world = World.of(bodies).at(pose, ring)
    assert np.array_equal(tree_of(world.body).triangles, world.body.triangles)
    assert world.tree is tree_of(world.body)
    pairs = world.near_pairs(0.3)
    assert np.array_equal(pairs, near_pairs(tree_of(ring), pose, world.tree, 0.3))
    assert set(world.part_of(pairs[:, 1])) == {1}
    assert world.clearance() == clearance(tree_of(ring), pose, world.tree)
    assert world.free_travel(DOWN) == free_travel(tree_of(ring), pose, world.tree, DOWN)
    assert len(world.swept_pairs(pose.displaced(DOWN, np.zeros(3), np.zeros(3)), 0.0)) > 0


def test_parts_are_told_apart_by_their_triangles(bodies):
    world = World.of(bodies)
    sizes = [len(each.triangles) for each in bodies]
    assert np.array_equal(world.part_of(np.arange(sum(sizes))), np.repeat([0, 1], sizes))


def test_only_the_root_changes_when_the_active_body_moves(bodies):
    ring = body(torus(), "ring")
    world = World.of(bodies).at(Pose.identity(), ring)
    moved = world.at(Pose(np.array([1.0, 0, 0, 0]), np.array([0.0, 0.0, 50.0])))
    assert moved.tree is world.tree
    assert moved.moving.tree is world.moving.tree
    assert moved.root[1][2] == pytest.approx(50.4, abs=1e-12)
    assert moved.root[0][2] == pytest.approx(-2.0, abs=1e-12)


def test_a_world_in_which_nothing_moves_yet_says_so(bodies):
    with pytest.raises(ValueError, match="no moving body"):
        World.of(bodies).near_pairs(0.1)


def test_a_forgotten_world_leaves_no_tree_behind(bodies):
    world = World.of(bodies)
    gone = weakref.ref(world.tree)
    del world
    gc.collect()
    assert gone() is None
