"""Several bodies that move: the gaps between them answer to the motion of both."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import exact
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.contact.points.interface_points import FIXED, InterfacePoints
from physplace_addon.core.contact.system import FACE, ContactSystem, Reach
from physplace_addon.core.mechanics.coordinates import FREE_BODIES
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from tests.bodies_of_the_paper import box, floor

TILT = np.array([0.9, 0.2, -0.3, 0.1])
FAR = Reach(0.2, 0.2, 0.2)


def block(half: float) -> Body:
    return box((half, 0.7 * half, 0.5 * half)).body


def torus() -> Body:
    return exact(kinds.torus(1.0, 0.3), "torus")


def ellipsoid() -> Body:
    return exact(kinds.superquadric(0.9, 0.6, 0.5, 1.0, 1.0), "ellipsoid")


def cylinder() -> Body:
    return exact(kinds.cylinder(0.5, 1.0), "cylinder")


def pose(turn: ArrayLike, at: ArrayLike) -> Pose:
    return Pose(np.asarray(turn, float), np.asarray(at, float))


PAIRS = {
    "face on face": (torus(), ellipsoid(), pose(TILT, (0.1, 0.2, 0.95))),
    "corner on face": (block(0.8), torus(), pose([0.6, 0.5, 0.4, 0.1], (1.0, 0.1, 1.02))),
    "edge on edge": (block(1.0), block(2.0), pose([0.5, 0.4, 0.9, 0.3], (0.3, 0.2, 1.25))),
    "rim on face": (cylinder(), ellipsoid(), pose(TILT, (0.1, 0.2, 1.05))),
    "face on rim": (ellipsoid(), cylinder(), pose(TILT, (0.2, 0.1, 1.05))),
}


def met(name: str) -> tuple[ContactSystem, InterfacePoints]:
    first, second, upper = PAIRS[name]
    lower = pose([0.95, -0.1, 0.2, 0.05], (0.2, -0.1, 0.1))
    system = ContactSystem.of(
        [first, second], [lower.compose(upper), lower], [floor().transformed(drop(-5.0))]
    )
    points = system.generate(FAR, InterfacePoints.none(), None)
    points = points.take((points.body2 == 1) & ~points.on_curve)
    assert len(points) > 0
    return system, points


def drop(height: float) -> Floats:
    matrix = np.eye(4)
    matrix[2, 3] = height
    return matrix


def gaps(system: ContactSystem, points: InterfacePoints, x: Floats) -> Floats:
    solved = system.displaced(x).track(points)
    assert len(solved) == len(points)
    return solved.gap / system.radius


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_the_gradient_by_both_poses_is_the_finite_difference(name: str) -> None:
    system, points = met(name)
    step = 1e-5
    found = np.stack(
        [(gaps(system, points, step * e) - gaps(system, points, -step * e)) / (2 * step) for e in np.eye(12)],
        axis=1,
    )
    assert np.abs(system.gradients(points) - found).max() < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_the_hessian_by_both_poses_is_the_finite_difference(name: str) -> None:
    system, points = met(name)
    keep = points.softest * system.radius > 1e-3
    points = points.take(keep)
    hessian = system.hessians(points)
    assert np.abs(hessian - hessian.transpose(0, 2, 1)).max() < 1e-12
    step, rng = 3e-4, np.random.default_rng(5)
    here = gaps(system, points, np.zeros(12))
    for _ in range(12):
        way = rng.normal(size=12)
        way /= np.linalg.norm(way)
        twice = (gaps(system, points, step * way) + gaps(system, points, -step * way) - 2 * here) / step**2
        error = np.abs(np.einsum("kij,i,j->k", hessian, way, way) - twice)
        assert (error < 3e-4 * np.maximum(1.0, np.abs(twice))).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_a_gap_does_not_change_when_both_bodies_move_together(name: str) -> None:
    system, points = met(name)
    rng = np.random.default_rng(2)
    turn, shift, about = 0.3 * rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    moved = system.at([p.displaced(shift, turn, about) for p in system.poses])
    assert np.abs(moved.track(points).gap - system.track(points).gap).max() < 1e-12


def test_contact_forces_on_the_two_bodies_are_equal_and_opposite() -> None:
    system, points = met("corner on face")
    maps = system.wrench_maps(points)
    normals = system.in_world(points).normal
    assert np.abs(np.einsum("kdi,ki->kd", maps, normals) - system.gradients(points)).max() < 1e-9
    forces = maps[:, [0, 1, 2]] * system.radius / system.radii[0]
    others = maps[:, [6, 7, 8]] * system.radius / system.radii[1]
    assert np.abs(forces + others).max() < 1e-12


def test_points_seen_in_the_world_and_back_are_the_same() -> None:
    system, points = met("edge on edge")
    back = system.in_pair_frames(system.in_world(points))
    for name in ("point1", "point2", "normal"):
        assert np.abs(getattr(back, name) - getattr(points, name)).max() < 1e-12


def test_a_body_that_occurs_twice_is_prepared_once() -> None:
    ball = torus()
    system = ContactSystem.of([ball, ball], [Pose.identity(), pose([1, 0, 0, 0], (3, 0, 0))], [])
    assert system.bodies[0] is system.bodies[1]
    assert system.pairs(0.0) == []
    assert system.pairs(1.0) == [(0, 1)]


def test_every_body_meets_what_stands_still() -> None:
    ball = torus()
    system = ContactSystem.of([ball, ball], [Pose.identity(), pose([1, 0, 0, 0], (9, 0, 0))], [floor()])
    assert system.pairs(0.1) == [(0, FIXED), (1, FIXED)]


def row_of_blocks() -> ContactSystem:
    """Four blocks on a floor, each just beside the next."""
    poses = [pose([1.0, 0.0, 0.0, 0.0], (1.02 * i, 0.0, 0.26)) for i in range(4)]
    return ContactSystem.of([box((0.5, 0.35, 0.25)).body] * 4, poses, [floor()])


def test_of_bodies_that_moved_alone_pairs_are_searched_and_the_others_keep_their_points() -> None:
    system = row_of_blocks()
    points = system.generate(FAR, InterfacePoints.none(), None)
    moved = FREE_BODIES.displaced(system, np.where(np.arange(24) == 0, -0.01, 0.0))
    assert moved.moving == (0,)
    assert moved.poses[1:] == system.poses[1:]
    searched = moved.searched(points)
    assert np.array_equal(searched, (points.body1 == 0) | (points.body2 == 0))
    assert {pair for pair in moved.pairs(0.2) if 0 not in pair} == set()
    found = moved.generate(FAR, moved.track(points), system)
    expected = replace(moved, moving=None).generate(FAR, moved.track(points), system)
    order, same = (np.lexsort((*p.point1.T.round(6), p.body2, p.body1)) for p in (found, expected))
    assert len(found) == len(expected)
    assert np.abs(found.point1[order] - expected.point1[same]).max() < 1e-12
    assert np.abs(found.gap[order] - expected.gap[same]).max() < 1e-12


def test_bodies_that_move_one_after_another_have_all_moved() -> None:
    system = row_of_blocks()
    first = FREE_BODIES.displaced(system, np.where(np.arange(24) == 8, 0.01, 0.0))
    second = FREE_BODIES.displaced(first, np.where(np.arange(24) == 20, 0.01, 1e-15))
    assert second.moving == (1, 3)
    assert second.poses[0] is system.poses[0]


@pytest.mark.parametrize("name", PAIRS)
def test_the_curvature_is_the_sum_of_hessians_times_forces(name: str) -> None:
    system, points = met(name)
    forces = np.random.default_rng(2).normal(size=len(points))
    expected = np.einsum("i,iab->ab", forces, system.hessians(points))
    assert np.abs(system.curvature(points, forces) - expected).max() < 1e-12 * (1.0 + np.abs(expected).max())


@pytest.mark.parametrize("aside", [(0.2, -0.1), (-0.2, 0.1)])
def test_a_point_on_a_planar_face_is_evaluated_on_its_piece_and_traced_over_all(
    aside: tuple[float, float],
) -> None:
    """The sole of a block on a ball is one face of two triangles; the ball is under either of them."""
    above = pose([1.0, 0.0, 0.0, 0.0], (*aside, 1.41))
    system = ContactSystem.of([block(0.8)], [above], [exact(kinds.sphere(1.0), "ball")])
    points = system.generate(FAR, InterfacePoints.none(), None)
    points = points.take((points.dim1 == FACE) & (points.dim2 == FACE))
    assert len(points) == 1
    first, second = system.evaluate(points)
    np.testing.assert_allclose(first.point, system.in_world(points).point1, atol=1e-12)
    np.testing.assert_allclose(second.point, [[0.0, 0.0, 1.0]], atol=1e-9)
    shift = np.array([[2.0 * aside[0], 2.0 * aside[1], 0.0]])
    there = system.traced(points, shift, np.zeros((1, 3)))
    np.testing.assert_allclose(system.evaluate(there)[0].point, first.point + shift, atol=1e-12)
    assert there.piece1[0] != points.piece1[0]
