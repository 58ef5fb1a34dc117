from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from time import process_time

import numpy as np
import pytest
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.contact_body import ContactBody
from physplace_addon.core.contact.regions.contact_regions import ContactRegions
from physplace_addon.core.contact.regions.region_analysis import contact_regions
from physplace_addon.core.rigid import Pose
from tests.amounts import drawn
from tests.core.contact.regions.touching_pairs import Pair, grid, mapped, polyhedron_of, touching_pair
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES, beside
from tests.oracles.exact_polyhedron import Point, Polyhedron
from tests.oracles.exact_regions import exact_regions

Mesh = tuple[Floats, Ints]
Summary = Counter[tuple[int, tuple[int, int], frozenset[tuple[float, ...]]]]
TOLERANCE = 1e-9


def cuboid(lower: ArrayLike, upper: ArrayLike) -> Mesh:
    """The mesh of a box between two corners."""
    low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    return (CUBE_POINTS + 0.5) * (high - low) + low, CUBE_TRIANGLES


def pyramid(tip: tuple[float, float, float], base: tuple[float, float, float], size: float) -> Mesh:
    """A pyramid on its tip, with a level square above it."""
    x, y, z = base
    square = [(x + i * size, y + j * size, z) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    points = np.array([tip, *square], dtype=np.float64)
    return points, np.array([[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [1, 2, 3], [1, 3, 4]])


def pose(turn: ArrayLike = (0.0, 0.0, 0.0), at: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
    return Pose.identity().displaced(at, turn, np.zeros(3))


def pair_of(first: Mesh, second: Mesh, place: Pose | None = None) -> BodyPair:
    one, two = (ContactBody.of([polyhedron(*mesh, "body")]) for mesh in (first, second))
    return BodyPair.of(one, two, Pose.identity() if place is None else place)


def regions_between(first: Mesh, second: Mesh, at: ArrayLike = (0.0, 0.0, 0.0)) -> ContactRegions:
    return contact_regions(pair_of(first, second, pose(at=at)), TOLERANCE)


def mesh_of(solid: Polyhedron) -> Mesh:
    return np.array(solid.points, dtype=np.float64), np.array(solid.triangles)


def rounded(points: Floats) -> frozenset[tuple[float, ...]]:
    return frozenset(tuple(point) for point in (np.floor(1e5 * points + 0.3371) / 1e5).tolist())


def exact(points: frozenset[Point]) -> frozenset[tuple[float, ...]]:
    return rounded(np.array([[float(c) for c in point] for point in points]))


def summary(found: ContactRegions) -> Summary:
    """How often each region occurs, as its dimension, those of its entities and its points."""
    pairs, result = found.rows.entities, Summary()
    for i, dimension in enumerate(found.dimension.tolist()):
        points = found.points_of(i).point1
        result[dimension, (int(pairs.dim1[i]), int(pairs.dim2[i])), rounded(points)] += 1
    return result


BATCH = 1500  # extent along each axis of the pairs that are analysed at once, as shells of two bodies
APART = 5  # between pairs


def batches(rng: np.random.Generator, count: int) -> Iterator[list[Pair]]:
    """Random pairs in batches of a limited extent: a mesh far from its origin is told less exactly.

    The pairs stand beside one another in rows, the rows in layers.
    """
    batch: list[Pair] = []
    place, reached = np.zeros(3, np.int64), np.zeros(3, np.int64)
    for number in range(count):
        pair = touching_pair(rng, number)
        points = np.concatenate([solid.points for solid in pair])
        low, size = points.min(axis=0), np.ptp(points, axis=0) + APART
        for axis in range(2):
            if place[axis] + size[axis] > BATCH:
                place[: axis + 1], place[axis + 1] = 0, reached[axis + 1]
                reached[: axis + 1] = 0
        if batch and place[2] + size[2] > BATCH:
            yield batch
            batch, place, reached = [], np.zeros(3, np.int64), np.zeros(3, np.int64)
        first, second = (mapped(solid, np.eye(3, dtype=np.int64), place - low) for solid in pair)
        batch.append((first, second))
        reached = np.maximum(reached, place + size)
        place[0] += size[0]
    yield batch


def unlike_exact(seed: int, count: int) -> list[str]:
    """The batches of random pairs whose regions are not the exact ones."""
    wrong = []
    for number, pairs in enumerate(batches(np.random.default_rng(seed), count)):
        one, two = (beside(*(mesh_of(solid) for solid in solids)) for solids in zip(*pairs, strict=True))
        found = summary(contact_regions(pair_of(one, two), TOLERANCE))
        regions = [region for first, second in pairs for region in exact_regions(first, second)]
        expected = Summary((r.dimension, r.dims, exact(r.points)) for r in regions)
        if found != expected:
            wrong.append(f"{number}: missing {expected - found}, extra {found - expected}")
    return wrong


def test_the_regions_of_random_pairs_that_touch_are_the_exact_ones() -> None:
    assert not unlike_exact(seed=1, count=100)


@pytest.mark.slow
def test_the_regions_of_hundreds_of_pairs_that_touch_are_the_exact_ones() -> None:
    assert not unlike_exact(seed=2, count=drawn(200, thorough=2000))


def test_a_small_box_on_a_big_one_is_one_region_of_four_points() -> None:
    found = regions_between(cuboid((0, 0, 0), (1, 1, 1)), cuboid((-2, -2, -1), (3, 3, 0)))
    assert found.kinds() == ["face/face"]
    assert found.dimension.tolist() == [2]
    assert np.array_equal(found.normal, [[0.0, 0.0, 1.0]])
    corners = {(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)}
    assert {tuple(point) for point in found.points.point1.tolist()} == corners
    assert np.allclose(found.points.point1, found.points.point2, rtol=0.0, atol=1e-15)


def test_a_scene_like_figure_3_has_one_region_of_each_dimension() -> None:
    slab = cuboid((0, 0, -1), (10, 10, 0))
    flat, beside_edge = cuboid((4, 4, 0), (6, 6, 2)), cuboid((-1, 2, 0), (0, 5, 2))
    tip = pyramid((5, 10, 0), (5, 12, 2), 1.0)
    found = regions_between(beside(flat, beside_edge, tip), slab)
    assert found.kinds() == ["face/face", "edge/edge", "vertex/edge"]
    assert found.dimension.tolist() == [2, 1, 0]
    assert np.diff(found.point_start).tolist() == [4, 2, 1]
    half = np.sqrt(0.5)
    assert np.allclose(found.normal[:2], [[0.0, 0.0, 1.0], [-half, 0.0, half]], rtol=0.0, atol=1e-15)


def test_two_faces_that_touch_in_two_places_are_one_region_with_the_hull_of_both() -> None:
    fork = mesh_of(blocks([(0, 0), (1, 0), (2, 0), (0, 1), (2, 1)]))
    found = regions_between(cuboid((0.0, 1.25, 1.0), (3.0, 1.75, 2.0)), fork)
    assert found.kinds() == ["face/face"]
    corners = {(x, y, 1.0) for x in (0.0, 3.0) for y in (1.25, 1.75)}
    assert {tuple(point) for point in found.points.point1.tolist()} == corners


def blocks(places: list[tuple[int, int]]) -> Polyhedron:
    """A flat body of unit cubes, lower corners at (x, y, 0)."""
    cells = grid((1, 1, 1))
    return polyhedron_of(np.concatenate([cells + np.array([x, y, 0]) for x, y in places]))


def test_a_plate_of_many_triangles_is_one_region_of_four_points() -> None:
    plate = mesh_of(blocks([(x, y) for x in range(7) for y in range(6)]))
    found = regions_between(plate, cuboid((-2, -2, -1), (30, 30, 0)))
    assert found.kinds() == ["face/face"]
    assert rounded(found.points.point1) == rounded(np.array([[x, y, 0] for x in (0, 7) for y in (0, 6)]))


def test_bodies_farther_apart_than_the_tolerance_have_no_region() -> None:
    box, table = cuboid((0, 0, 0), (1, 1, 1)), cuboid((-2, -2, -1), (3, 3, 0))
    assert len(regions_between(box, table, at=(0.0, 0.0, 2.0 * TOLERANCE))) == 0
    assert regions_between(box, table, at=(0.0, 0.0, 0.5 * TOLERANCE)).kinds() == ["face/face"]


@pytest.mark.parametrize("depth", [0.5e-6, -0.5e-6])
def test_a_box_that_is_tilted_within_the_tolerance_touches_with_its_face(depth: float) -> None:
    tilted = pose((2e-7, -3e-7, 0.4), (0.3, 0.2, depth))
    found = contact_regions(
        pair_of(cuboid((0, 0, 0), (1, 1, 1)), cuboid((-3, -3, -1), (3, 3, 0)), tilted), 1.5e-6
    )
    assert found.kinds() == ["face/face"]
    assert np.diff(found.point_start).tolist() == [4]
    assert np.allclose(found.gaps, found.points.point1[:, 2], rtol=0.0, atol=1e-15)
    assert np.isclose(found.gaps.min(), tilted.points(np.zeros(3))[2], rtol=0.0, atol=1e-15)


def same_regions(one: ContactRegions, other: ContactRegions, place: Pose, accuracy: float) -> bool:
    """Whether regions are the same ones after a rigid motion, in any order."""
    if len(one) != len(other):
        return False
    left = list(range(len(other)))
    for i in range(len(one)):
        points = place.points(one.points_of(i).point1)
        for j in left:
            same = one.kinds()[i] == other.kinds()[j] and alike(points, other.points_of(j).point1, accuracy)
            if same and np.abs(place.vectors(one.normal[i]) - other.normal[j]).max() < 1e-6:
                left.remove(j)
                break
        else:
            return False
    return True


def alike(points: Floats, others: Floats, accuracy: float) -> bool:
    """Whether two sets of points are the same."""
    if len(points) != len(others):
        return False
    apart = np.abs(points[:, None] - others[None]).max(axis=2)
    return bool((apart.min(axis=1) < accuracy).all() and (apart.min(axis=0) < accuracy).all())


PAIRS = range(33)


def test_exchanged_bodies_have_the_mirrored_regions() -> None:
    rng = np.random.default_rng(3)
    for number in PAIRS:
        first, second = (mesh_of(solid) for solid in touching_pair(rng, number))
        found = contact_regions(pair_of(first, second), TOLERANCE)
        turned = contact_regions(pair_of(second, first), TOLERANCE)
        assert same_regions(found, mirrored(turned), Pose.identity(), 1e-9), number


def mirrored(found: ContactRegions) -> ContactRegions:
    points, rows = found.points, found.rows
    return replace(
        found,
        rows=replace(rows, normal=-rows.normal, entities=rows.entities.swapped()),
        points=replace(
            points, point1=points.point2, point2=points.point1, entities=points.entities.swapped()
        ),
    )


def test_a_motion_of_both_bodies_moves_the_regions() -> None:
    rng = np.random.default_rng(4)
    for number in PAIRS:
        first, second = (mesh_of(solid) for solid in touching_pair(rng, number))
        place = pose(rng.normal(size=3), rng.normal(size=3))
        found = contact_regions(pair_of(first, second), TOLERANCE)
        moved_second = place.points(second[0]), second[1]
        moved = contact_regions(pair_of(first, moved_second, place), TOLERANCE)
        assert same_regions(found, moved, place, 1e-8), number


@pytest.mark.parametrize("scale", [1e-3, 1e2])
def test_the_scale_changes_nothing(scale: float) -> None:
    rng = np.random.default_rng(5)
    for number in PAIRS:
        first, second = (mesh_of(solid) for solid in touching_pair(rng, number))
        found = contact_regions(pair_of(first, second), TOLERANCE)
        one, two = ((scale * points, triangles) for points, triangles in (first, second))
        scaled = contact_regions(pair_of(one, two), scale * TOLERANCE)
        points = scaled.points
        back = replace(points, point1=points.point1 / scale, point2=points.point2 / scale)
        assert same_regions(found, replace(scaled, points=back), Pose.identity(), 1e-9), number


def test_the_regions_are_the_same_far_from_the_origin() -> None:
    rng, far = np.random.default_rng(6), np.array([1e6, -2e6, 3e6])
    for number in PAIRS:
        first, second = (mesh_of(solid) for solid in touching_pair(rng, number))
        found = contact_regions(pair_of(first, second), 1e-6)
        moved = contact_regions(pair_of(first, (second[0] + far, second[1]), pose(at=far)), 1e-6)
        assert same_regions(found, moved, pose(at=far), 1e-6), number


def finely_triangulated(count: int) -> Mesh:
    """A unit cube whose sides are grids of count by count squares, two triangles each."""
    parts = []
    at = np.arange(count + 1) / count
    u, v = (a.ravel() for a in np.meshgrid(at, at, indexing="ij"))
    i, j = (a.ravel() for a in np.meshgrid(np.arange(count), np.arange(count), indexing="ij"))
    a, b, c, d = ((i + p) * (count + 1) + j + q for p, q in ((0, 0), (1, 0), (1, 1), (0, 1)))
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    for axis in range(3):
        for side in (0.0, 1.0):
            points = np.roll(np.stack([np.full(len(u), side), u, v], axis=1), axis, axis=1)
            parts.append((points, triangles if side else triangles[:, ::-1]))
    points, joined = beside(*parts)
    places, number = np.unique(points, axis=0, return_inverse=True)
    return places, number.reshape(-1)[joined]


def seconds_of(*pairs: BodyPair) -> list[float]:
    """The processor time of an analysis of each, taken in turn: the least of several."""
    times = []
    for _ in range(15):
        starts = []
        for body_pair in pairs:
            starts.append(process_time())
            contact_regions(body_pair, TOLERANCE)
        times.append(np.diff([*starts, process_time()]))
    least: list[float] = np.min(times, axis=0).tolist()
    return least


def test_the_cost_does_not_grow_with_the_triangles_of_the_same_faces() -> None:
    table, place = cuboid((-2, -2, -1), (3, 3, 0)), pose((0.0, 0.0, 0.3))
    coarse, fine = (pair_of(finely_triangulated(count), table, place) for count in (1, 40))
    assert len(fine.active.body.triangles) == 1600 * len(coarse.active.body.triangles)
    assert contact_regions(fine, TOLERANCE).kinds() == ["face/face"]
    few, many = seconds_of(coarse, fine)
    assert many < 2.0 * few
