"""The hierarchy itself: what it holds, where it splits, and that it can be moved and joined."""

import gc
import weakref

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.collision import build_tree, join_trees, remember_mapped, tree_of
from physplace_addon.core.collision.tree import BoxTree, highest_below
from tests.core.collision.soups import hostile_soup, random_soup, shifted


def check_tree(tree: BoxTree, triangles: Floats, bound: Floats) -> None:
    """Every triangle is in one leaf, boxes hold what is below them, levels and ranges agree."""
    count = len(triangles)
    inner = np.flatnonzero(tree.children[:, 0] >= 0)
    leaf = np.flatnonzero(tree.children[:, 0] < 0)
    assert np.array_equal(np.sort(tree.order), np.arange(count))
    assert tree.count[leaf].sum() == count
    assert tree.count[leaf].min() >= 1
    assert np.array_equal(np.sort(np.append(tree.children[inner].ravel(), 0)), np.arange(len(tree.start)))
    assert np.array_equal(tree.count[inner], tree.count[tree.children[inner]].sum(axis=1))
    assert np.array_equal(tree.start[inner], tree.start[tree.children[inner, 0]])
    assert (tree.lower[inner, None] <= tree.lower[tree.children[inner]]).all()
    assert (tree.upper[inner, None] >= tree.upper[tree.children[inner]]).all()
    for node in leaf:
        held = tree.order[tree.start[node] : tree.start[node] + tree.count[node]]
        assert (tree.lower[node] <= triangles[held] - bound[held, None, None]).all()
        assert (tree.upper[node] >= triangles[held] + bound[held, None, None]).all()
    assert tree.level_start[0] == 0
    assert tree.level_start[-1] == len(tree.start)
    assert tree.count[tree.top].sum() == count


@pytest.mark.parametrize("count", [1, 2, 3, 5, 64, 701])
def test_every_triangle_is_in_one_leaf_and_every_box_holds_its_children(
    rng: np.random.Generator, count: int
) -> None:
    triangles, bound = hostile_soup(rng, count), 0.1 * rng.random(count)
    check_tree(build_tree(triangles, bound), triangles, bound)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_size_and_place_do_not_matter(rng: np.random.Generator, scale: float, offset: float) -> None:
    triangles = scale * random_soup(rng, 300) + offset
    bound = np.full(300, 0.01 * scale)
    check_tree(build_tree(triangles, bound), triangles, bound)


def test_triangles_all_in_one_place_still_make_a_shallow_tree(rng: np.random.Generator) -> None:
    triangles = np.repeat(random_soup(rng, 1), 1024, axis=0)
    tree = build_tree(triangles)
    check_tree(tree, triangles, np.zeros(1024))
    assert len(tree.level_start) <= 12


def test_a_geometric_progression_does_not_make_a_tree_as_deep_as_it_has_triangles(
    rng: np.random.Generator,
) -> None:
    triangles = random_soup(rng, 1, size=0.1) * (0.5 ** np.arange(1000))[:, None, None]
    tree = build_tree(triangles)
    check_tree(tree, triangles, np.zeros(1000))
    assert len(tree.level_start) <= 12


def test_joined_trees_hold_the_triangles_of_all_in_sequence(rng: np.random.Generator) -> None:
    parts = [random_soup(rng, n) + 3.0 * rng.normal(size=3) for n in (40, 1, 7, 200)]
    tree = join_trees(*(build_tree(part, np.full(len(part), 0.02)) for part in parts))
    together = np.concatenate(parts)
    assert np.array_equal(tree.triangles, together)
    check_tree(tree, together, np.full(len(together), 0.02))


def test_the_same_triangles_give_the_same_tree(rng: np.random.Generator) -> None:
    triangles = random_soup(rng, 500)
    assert np.array_equal(build_tree(triangles).order, build_tree(triangles.copy()).order)


@pytest.mark.parametrize(
    ("triangles", "bound"),
    [
        (np.zeros((0, 3, 3)), None),
        (np.zeros((2, 3)), None),
        (np.full((1, 3, 3), np.nan), None),
        (np.zeros((2, 3, 3)), np.zeros(3)),
        (np.zeros((2, 3, 3)), np.array([0.0, -1.0])),
    ],
)
def test_what_cannot_be_a_tree_is_refused(triangles: Floats, bound: Floats | None) -> None:
    with pytest.raises(ValueError, match=r"expected|finite"):
        build_tree(triangles, bound)


def test_a_body_keeps_its_tree_and_takes_it_to_the_grave(rng: np.random.Generator) -> None:
    body = polyhedron(random_soup(rng, 9).reshape(-1, 3), np.arange(27).reshape(9, 3), "soup")
    tree = tree_of(body)
    assert tree_of(body) is tree
    gone = weakref.ref(tree)
    del body, tree
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("mirror", [1.0, -1.0])
def test_the_tree_of_a_mapped_body_is_a_tree_of_its_own_triangles(
    rng: np.random.Generator, mirror: float
) -> None:
    body = polyhedron(random_soup(rng, 40).reshape(-1, 3), np.arange(120).reshape(40, 3), "soup")
    affine = np.eye(4)
    affine[:3] = rng.normal(size=(3, 4))
    affine[:3, :3] *= mirror * np.sign(np.linalg.det(affine[:3, :3]))
    mapped = body.transformed(affine)
    remember_mapped(mapped, body)
    assert np.array_equal(tree_of(mapped).order, tree_of(body).order)
    check_tree(tree_of(mapped), mapped.triangles, mapped.triangle_bound)


def triangles_below(tree: BoxTree, node: int) -> Ints:
    return tree.order[tree.start[node] : tree.start[node] + tree.count[node]]


@pytest.mark.parametrize("joins", [False, True])
def test_a_node_knows_the_planes_of_all_triangles_below_it(rng: np.random.Generator, joins: bool) -> None:
    soups = [shifted(hostile_soup(rng, 60), 3.0 * i, 0.0, 0.0) for i in range(3)]
    bounds = [0.05 * rng.random(60) for _ in soups]
    trees = [build_tree(soup, bound) for soup, bound in zip(soups, bounds, strict=True)]
    tree = join_trees(*trees) if joins else trees[0]
    values = rng.random((2, len(tree.order)))
    highest, planes = highest_below(tree, values), tree.planes_below
    for node in range(len(tree.start)):
        held = triangles_below(tree, node)
        assert np.array_equal(highest[:, node], values[:, held].max(axis=1))
        normal, (low, high) = tree.planes[held, :3], planes[6:, node]
        assert (np.abs(normal - planes[:3, node]) <= planes[3:6, node]).all()
        heights = np.einsum("tj,tcj->tc", normal, tree.triangles[held] - tree.boxes[:3, node])
        assert heights.min() - tree.bound[held].min() <= high
        assert (heights + tree.bound[held, None] <= high + 1e-12).all()
        assert (heights - tree.bound[held, None] >= low - 1e-12).all()
