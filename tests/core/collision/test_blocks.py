"""Blocks hold what the binary tree holds: each triangle once, inside every box above it."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Ints
from physplace_addon.core.collision import build_tree, join_trees
from physplace_addon.core.collision.blocks import Blocks
from tests.core.collision.soups import hostile_soup, shifted


def triangles_below(blocks: Blocks, block: int) -> list[int]:
    row = blocks.row[block]
    if blocks.size[block] < 0.0:
        held: Ints = blocks.triangle[row]
        return [int(number) for number in held if number >= 0]
    return [k for child in blocks.child[row] if child >= 0 for k in triangles_below(blocks, int(child))]


@pytest.mark.parametrize("count", [1, 2, 8, 9, 64, 65, 129, 700])
@pytest.mark.parametrize("joins", [False, True])
def test_every_triangle_is_below_the_first_block_once_and_inside_all_boxes(
    rng: np.random.Generator, count: int, joins: bool
) -> None:
    soup, bound = hostile_soup(rng, count), 0.1 * rng.random(count)
    tree = build_tree(soup, bound)
    if joins:
        other = build_tree(shifted(soup[: count // 3 + 1], 9.0, 0.0, 0.0))
        tree = join_trees(tree, other)
    blocks = tree.blocks
    assert sorted(triangles_below(blocks, 0)) == list(range(len(tree.order)))
    at_the_top = [k for block in blocks.top for k in triangles_below(blocks, int(block))]
    assert sorted(at_the_top) == list(range(len(tree.order)))
    for block in range(len(blocks.size)):
        held = triangles_below(blocks, block)
        assert held
        off = np.abs(tree.triangles[held] - blocks.own[block, :3]) + tree.bound[held, None, None]
        assert (off <= blocks.own[block, 3:] + 1e-12).all()


def test_the_blocks_of_a_large_tree_are_full(rng: np.random.Generator) -> None:
    for count in (2024, 4096, 6000):
        blocks = build_tree(hostile_soup(rng, count)).blocks
        inner = (blocks.child >= 0).sum(axis=1)[1:]
        assert inner.min() == 8
        assert (blocks.triangle >= 0).sum(axis=1).min() >= 4


def test_a_child_has_the_box_that_its_parent_knows(rng: np.random.Generator) -> None:
    blocks = build_tree(hostile_soup(rng, 300), 0.1 * rng.random(300)).blocks
    held = blocks.child >= 0
    boxes = blocks.boxes.reshape(len(blocks.child), 6, -1).transpose(0, 2, 1)
    assert np.array_equal(boxes[held], blocks.own[blocks.child[held]])


def test_a_bottom_block_knows_its_triangles(rng: np.random.Generator) -> None:
    soup, bound = hostile_soup(rng, 100), 0.1 * rng.random(100)
    blocks = build_tree(soup, bound).blocks
    row, place = np.nonzero(blocks.triangle >= 0)
    number = blocks.triangle[row, place]
    corners = blocks.corners.reshape(len(blocks.corners), 3, 3, -1)[row, :, :, place]
    assert np.array_equal(corners.transpose(0, 2, 1), soup[number])
    assert np.array_equal(blocks.bound[row, place], bound[number])
