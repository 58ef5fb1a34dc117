"""Least angles of meshes, made larger by local changes."""

from collections.abc import Sequence

import numpy as np
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.implicit import ImplicitFunction, Spheres, intersection
from physplace_addon.core.implicit.polygonize.least_angles import with_larger_angles
from physplace_addon.core.implicit.polygonize.mesh_topology import MeshTopology, area_vectors
from physplace_addon.core.implicit.polygonize.refinement import refined
from physplace_addon.core.implicit.projection import projected

BALL = Spheres.of([[0.0, 0.0, 0.0]], 1.0)
OCTAHEDRON = np.vstack([np.eye(3), -np.eye(3)])
NEXT_TO_A_CORNER, NEXT_TO_A_SIDE = (0.9, 0.05, 0.05), (0.49, 0.49, 0.02)
FACES = np.array([[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]])


def angles(corners: Floats) -> Floats:
    """The least angle of triangles (t, 3, 3) by their sides' lengths (law of cosines), in degrees."""
    a, b, c = np.sort(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2), axis=1).T
    return np.asarray(np.degrees(np.arccos((b**2 + c**2 - a**2) / (2.0 * b * c))))


def check_closed(points: Floats, triangles: Ints) -> None:
    """The mesh is one ball, wound outwards."""
    topology = MeshTopology.of(triangles, len(points))
    assert not topology.non_manifold.any()
    assert topology.euler_characteristic == 2
    middles = points[triangles].mean(axis=1) - points.mean(axis=0)
    assert np.einsum("ti,ti->", middles, area_vectors(points, triangles)) > 0.0


def with_thin_triangles(
    function: ImplicitFunction, points: Floats, triangles: Ints, cut: Ints, *at: Sequence[float]
) -> tuple[Floats, Ints]:
    """Some triangles cut in three, at places with given shares of the corners, one after another."""
    shares = np.array(at)[np.arange(len(cut)) % len(at)]
    more = np.einsum("tc,tci->ti", shares, points[triangles[cut]])
    number = len(points) + np.arange(len(cut))
    a, b, c = triangles[cut].T
    thirds = [np.stack(three, axis=1) for three in ((a, b, number), (b, c, number), (c, a, number))]
    triangles = np.concatenate([np.delete(triangles, cut, axis=0), *thirds])
    points = np.concatenate([points, projected(function, more, 0.1)])
    assert angles(points[triangles]).min() < 5.0
    return points, triangles


def test_points_beside_others_are_taken_out_or_moved(rng: np.random.Generator) -> None:
    points, triangles, distance = refined(BALL, OCTAHEDRON, FACES, 0.03)
    cut = rng.choice(len(triangles), 12, replace=False)
    points, triangles = with_thin_triangles(BALL, points, triangles, cut, NEXT_TO_A_CORNER, NEXT_TO_A_SIDE)
    found, changed = with_larger_angles(BALL, points, triangles, distance, 0.01)
    assert angles(found[changed]).min() > 17.0 - 1e-9
    check_closed(found, changed)
    assert np.allclose(np.linalg.norm(found[np.unique(changed)], axis=1), 1.0, rtol=0, atol=1e-8)
    weights = rng.dirichlet(np.ones(3), (20, len(changed)))
    inner = np.einsum("stc,tci->sti", weights, found[changed])
    assert (1.0 - np.linalg.norm(inner, axis=2)).max() < 1.1 * distance


def test_as_many_points_as_are_beside_each_other_are_taken_out(rng: np.random.Generator) -> None:
    """One of them in a round, as each change keeps those next to it from being made."""
    points, triangles, distance = refined(BALL, OCTAHEDRON, FACES, 0.03)
    for _ in range(16):
        last = np.array([len(triangles) - 1])
        points, triangles = with_thin_triangles(BALL, points, triangles, last, NEXT_TO_A_SIDE)
    found, changed = with_larger_angles(BALL, points, triangles, distance, 0.01)
    assert angles(found[changed]).min() > 17.0 - 1e-9
    check_closed(found, changed)


LENS = intersection([Spheres.of([x, 0.0, 0.0], 1.0) for x in (-0.5, 0.5)])


def lens_mesh() -> tuple[Floats, Ints]:
    """A lens, of two caps of balls, whose points are on spirals; the first 24 points are its edge."""
    turn = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    edge = np.sqrt(0.75) * np.stack([np.zeros(24), np.cos(turn), np.sin(turn)], axis=1)
    rise = 1.0 - (np.arange(60) + 0.5) / 60 * (1.0 - np.cos(np.radians(50.0)))
    around = np.pi * (1.0 + np.sqrt(5.0)) * np.arange(60)
    cap = np.stack([rise - 0.5, *(np.sqrt(1.0 - rise**2) * way(around) for way in (np.cos, np.sin))], axis=1)
    points = np.concatenate([edge, cap, cap * [-1.0, 1.0, 1.0]])
    triangles = ConvexHull(points).simplices.astype(np.intp)
    inwards = np.einsum("ti,ti->t", area_vectors(points, triangles), points[triangles].mean(axis=1)) < 0.0
    triangles[inwards] = triangles[inwards, ::-1]
    return points, triangles


def test_creases_stay_where_they_are(rng: np.random.Generator) -> None:
    points, triangles = lens_mesh()
    edge = points[:24]
    cut = rng.choice(np.flatnonzero((triangles >= 24).all(axis=1)), 12, replace=False)
    points, triangles = with_thin_triangles(LENS, points, triangles, cut, NEXT_TO_A_CORNER, NEXT_TO_A_SIDE)
    found, changed = with_larger_angles(LENS, points, triangles, 0.05, 0.01)
    check_closed(found, changed)
    assert np.array_equal(found[:24], edge)
    ends = MeshTopology.of(changed, len(found)).ends.tolist()
    assert all([i, i + 1] in ends for i in range(23))
    assert angles(found[changed[(changed >= 24).all(axis=1)]]).min() > 17.0 - 1e-9


def test_thin_triangles_at_creases_are_left() -> None:
    """Each is cut in three next to the corner on the edge."""
    points, triangles = lens_mesh()
    cut = np.flatnonzero((triangles < 24).sum(axis=1) == 1)[::4]
    turned = (np.argmin(triangles[cut], axis=1)[:, None] + np.arange(3)) % 3
    triangles[cut] = np.take_along_axis(triangles[cut], turned, axis=1)
    points, triangles = with_thin_triangles(LENS, points, triangles, cut, NEXT_TO_A_CORNER)
    found, same = with_larger_angles(LENS, points, triangles, 0.05, 0.01)
    assert np.array_equal(found, points)
    assert np.array_equal(same, triangles)
