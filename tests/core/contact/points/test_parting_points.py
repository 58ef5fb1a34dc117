"""Points that part flat triangles which overlap although no pair of features says so."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.collision import triangles_intersect
from physplace_addon.core.contact.adjustment import OVERLAP, Adjusted, adjusted
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.contact_body import ContactBody
from physplace_addon.core.contact.points.parting_points import parting_points
from physplace_addon.core.placement import Placement
from physplace_addon.core.rigid import Pose
from tests.oracles.frames import quaternion_of, random_rotation

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])


def triangle(rng: np.random.Generator) -> Body:
    return polyhedron(rng.normal(size=(3, 3)), np.array([[0, 1, 2]]), "triangle")


def meet(body_pair: BodyPair) -> bool:
    first = body_pair.pose.points(body_pair.active.body.triangles)
    return bool(triangles_intersect(first, body_pair.world.body.triangles).hit[0])


def saddle() -> Body:
    """A roof whose ridge has a hollow bend at the origin: two edges end in a vertex that stands back."""
    ridge = np.array([[0.0, -1.0, 0.18], [0.0, 0.0, 0.0], [0.0, 1.0, 0.1]])
    down = np.array([[1.0, 0.0, -0.8], [-1.0, 0.0, -0.8]])
    points = np.concatenate([ridge, ridge + down[0], ridge + down[1]])
    first = np.array([[0, 3, 4], [0, 4, 1], [0, 1, 7], [0, 7, 6]])
    return polyhedron(points, np.concatenate([first, first + 1]), "saddle")


def sheet() -> Body:
    """An open triangle that stands on a level edge."""
    points = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, 0.8]])
    return polyhedron(points, np.array([[0, 1, 2]]), "sheet")


def test_random_triangles_are_apart_where_their_points_say_so() -> None:
    """Triangles apart, moved into each other, and shifted by the depth along the normal: apart again."""
    rng = np.random.default_rng(5)
    bodies = [ContactBody.of([triangle(rng)]) for _ in range(4)]
    found = 0
    for _ in range(300):
        one, other = rng.choice(4, 2, replace=False)
        pose = Pose(quaternion_of(random_rotation(rng)), 0.7 * rng.normal(size=3))
        before = BodyPair.of(bodies[one], bodies[other], pose)
        now = before.displaced(0.2 * rng.normal(size=6))
        if meet(before) or not meet(now):
            continue
        found += 1
        points = parting_points(before, now, np.zeros((1, 2), np.intp))
        assert len(points) == 1
        assert -now.radius < points.gap[0] <= 0.0
        offset = points.point1[0] - points.point2[0]
        np.testing.assert_allclose(offset, points.gap[0] * points.normal[0], atol=1e-14)
        lift = (1e-9 - points.gap[0]) * points.normal[0]
        assert not meet(now.at(Pose(now.pose.rotation, now.pose.translation + lift)))
    assert found >= 10


def test_triangles_that_overlapped_before_have_no_point() -> None:
    corners = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]])
    body = ContactBody.of([polyhedron(corners, np.array([[0, 1, 2]]), "triangle")])
    upright = Pose(np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0]), np.zeros(3))
    crossed = BodyPair.of(body, body, upright)
    assert len(parting_points(crossed, crossed, np.zeros((1, 2), np.intp))) == 0


@pytest.mark.parametrize("height", [1e-9, 1e-4])
@pytest.mark.parametrize("depth", [1e-7, 3e-7])
def test_an_edge_that_sinks_into_a_hollow_vertex_is_lifted(height: float, depth: float) -> None:
    """Its two pairs have left their edges, beyond the ends in which these meet; no other pair is there."""
    placement = Placement(sheet(), Pose(UPRIGHT, np.array([0.0, 0.0, height])), [saddle()])
    state = placement.state
    radius = state.system.radius
    down = np.array([0.0, 0.0, -height / radius - depth, 0.0, 0.0, 0.0])
    trial = state.coordinates.displaced(state.system, down)
    assert len(trial.track(state.local_points)) == 0
    assert trial.triangles_overlap(OVERLAP)
    found = adjusted(state, trial, state.local_points, placement.problem.reach(0.05), 0.1)
    assert isinstance(found, Adjusted)
    assert not found.system.triangles_overlap(OVERLAP)
    assert 0.0 < found.system.poses[0].translation[2] < 1e-9
