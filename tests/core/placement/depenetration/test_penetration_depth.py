"""How deep a point of one mesh is inside another, however fine they are."""

from __future__ import annotations

from collections.abc import Callable
from cProfile import Profile

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.placement import check
from physplace_addon.core.placement.depenetration.penetration_depth import is_deeper, penetration_depth
from tests.bodies_of_the_paper import convex
from tests.core.contact.body_pairs import body, pose
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES
from tests.oracles.frames import sphere_directions

FINE = convex(sphere_directions(600), "fine")
ROUGH = convex(sphere_directions(40), "rough")


def points_inside(triangles: Floats, solid: Floats, rng: np.random.Generator) -> float:
    """The greatest distance of a corner, or of a point drawn at random, inside a convex solid."""
    some = np.einsum("ki,tij->tkj", rng.dirichlet([1.0, 1.0, 1.0], 40), triangles)
    points = np.concatenate([np.unique(triangles.reshape(-1, 3), axis=0), some.reshape(-1, 3)])
    return float(max(0.0, distance_inside_convex(points, solid).max()))


def distance_inside_convex(points: Floats, triangles: Floats) -> Floats:
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    result: Floats = -np.einsum("ij,kij->ki", normal, points[:, None] - triangles[:, 0]).max(axis=1)
    return result


@pytest.mark.parametrize("other", [body("cube"), ROUGH, FINE], ids=["cube", "rough", "fine"])
@pytest.mark.parametrize("mover", [body("cube"), ROUGH], ids=["cube", "rough"])
def test_no_point_of_either_is_deeper_inside_the_other(
    mover: Body, other: Body, rng: np.random.Generator
) -> None:
    for _ in range(3):
        at = pose(rng.normal(size=3), 0.5 * rng.normal(size=3))
        mine, theirs = at.points(mover.triangles), other.triangles
        depth = penetration_depth(mover, at, other)
        assert max(points_inside(mine, theirs, rng), points_inside(theirs, mine, rng)) <= depth.most + 1e-12
        assert depth.most <= 1.002 * depth.least
        if depth.least > 0.0:
            reached = [distance_inside_convex(depth.point[None], theirs)[0]]
            reached.append(distance_inside_convex(depth.other[None], mine)[0])
            assert max(reached) == pytest.approx(depth.least, abs=1e-12)


@pytest.mark.parametrize("depth", [0.01, 0.2, 0.45])
def test_how_fine_a_mesh_is_does_not_change_how_deep_it_is_told_to_be(depth: float) -> None:
    for ball in (FINE, ROUGH):
        turned = pose((0.3, 0.2, 0.1)).points(ball.points)
        found = check(ball, pose((0.3, 0.2, 0.1), (0.1, 0.2, -turned[:, 2].min() - depth)), [body("slab")])
        assert abs(found.overlap - depth) < 1e-9


def test_a_rod_through_a_cube_is_as_deep_as_the_cube_lets_it() -> None:
    rod = polyhedron(CUBE_POINTS * [0.1, 0.1, 4.0], CUBE_TRIANGLES, "rod")
    assert penetration_depth(rod, pose(at=(0.2, 0.1, 0.0)), body("cube")).least == pytest.approx(
        0.35, rel=1e-3
    )


def test_edges_that_cross_above_all_corners_have_a_depth() -> None:
    lying, across = pose((0.25 * np.pi, 0.0, 0.0)), pose((0.0, 0.25 * np.pi, 0.0), (0.0, 0.0, 1.4))
    relative = lying.inverse().compose(across)
    depth = penetration_depth(body("cube"), relative, body("cube"))
    assert depth.least == pytest.approx((np.sqrt(2.0) - 1.4) * np.sqrt(0.5), rel=2e-3)


def test_sheets_have_no_depth() -> None:
    assert penetration_depth(body("plane"), pose((0.5, 0.0, 0.0)), body("plane")).least == 0.0


@pytest.mark.parametrize("other", [body("cube"), FINE], ids=["cube", "fine"])
def test_what_is_said_to_be_deeper_is_so_by_its_triangles(other: Body, rng: np.random.Generator) -> None:
    said = 0
    for _ in range(20):
        at, depth = pose(rng.normal(size=3), 0.5 * rng.normal(size=3)), rng.uniform(0.0, 1.5)
        found, deeper = penetration_depth(ROUGH, at, other), is_deeper(ROUGH, at, other, depth)
        assert deeper == (found.least > depth) or abs(found.least - depth) <= 1e-3 * depth
        said += deeper
    assert 0 < said < 20


def test_whether_fine_bodies_overlap_is_said_without_measuring_how_deep() -> None:
    """The count of Python calls is the same on every machine, once what is kept of a body is there."""
    at = pose((0.3, 0.2, 0.1), (0.5, 0.2, 0.1))
    assert is_deeper(FINE, at, FINE, 1e-6)
    said = calls(lambda: is_deeper(FINE, at, FINE, 1e-6))
    assert said < 0.3 * calls(lambda: penetration_depth(FINE, at, FINE))


def calls(work: Callable[[], object]) -> int:
    profile = Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())
