"""Motions of boxes and triangles, and the pairs of nodes that follow others."""

import numpy as np

from physplace_addon.core.arrays import Ints
from physplace_addon.core.collision import build_tree
from physplace_addon.core.collision.node_pairs import Motion, corners_of, first_pairs, leaf_triangles, opened
from physplace_addon.core.collision.tree import BoxTree
from tests.core.collision.soups import random_pose, random_soup


def below(tree: BoxTree, node: int) -> set[int]:
    return set(tree.order[tree.start[node] : tree.start[node] + tree.count[node]].tolist())


def pairs_below(tree1: BoxTree, tree2: BoxTree, node1: Ints, node2: Ints) -> list[tuple[int, int]]:
    return sorted(
        (a, b) for i, j in zip(node1, node2, strict=True) for a in below(tree1, i) for b in below(tree2, j)
    )


def test_no_triangle_pair_is_lost_or_doubled_on_the_way_down(rng: np.random.Generator) -> None:
    tree1, tree2 = build_tree(random_soup(rng, 37)), build_tree(random_soup(rng, 11, size=2.0))
    node1, node2 = first_pairs(tree1, tree2)
    everything = [(a, b) for a in range(37) for b in range(11)]
    done: list[tuple[int, int]] = []
    while node1.size:
        assert sorted(done + pairs_below(tree1, tree2, node1, node2)) == everything
        next1, next2, _, leaf = opened(tree1, tree2, node1, node2)
        triangle1, triangle2, _ = leaf_triangles(tree1, tree2, node1[leaf], node2[leaf])
        done += list(zip(triangle1.tolist(), triangle2.tolist(), strict=True))
        node1, node2 = next1, next2
    assert sorted(done) == everything


def test_a_placed_box_holds_the_placed_corners(rng: np.random.Generator) -> None:
    pose, tree = random_pose(rng), build_tree(random_soup(rng, 50))
    center, half = Motion(pose).boxes(tree.boxes)
    for node in range(len(tree.start)):
        corners = pose.points(tree.triangles[sorted(below(tree, node))].reshape(-1, 3))
        assert (np.abs(corners - center[:, node]) <= half[:, node] + 1e-14).all()


def test_triangles_are_placed_as_their_points_are(rng: np.random.Generator) -> None:
    pose, tree = random_pose(rng), build_tree(random_soup(rng, 20))
    number = np.array([3, 3, 19, 0])
    placed = Motion(pose).corners(corners_of(tree, number))
    assert np.allclose(placed.transpose(2, 0, 1), pose.points(tree.triangles[number]), rtol=0.0, atol=1e-14)
