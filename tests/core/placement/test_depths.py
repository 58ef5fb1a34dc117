"""How deep a corner of one mesh is inside another, however fine they are."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.placement import check
from physplace_addon.core.placement.depths import depth_of_corners
from physplace_addon.core.placement.start import winding_number
from tests.bodies_of_the_paper import convex
from tests.core.contact.meetings import body, pose
from tests.oracles.frames import sphere_directions

FINE = convex(sphere_directions(600), "fine")
ROUGH = convex(sphere_directions(40), "rough")


def corners_inside(triangles, solid):
    """The greatest distance of a corner inside a solid from its surface, corner by corner."""
    depth = 0.0
    for corner in np.unique(triangles.reshape(-1, 3), axis=0):
        if winding_number(corner, solid) > 0.5:
            depth = max(depth, distance_inside_convex(corner, solid))
    return depth


def distance_inside_convex(point, triangles):
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    return -np.einsum("ij,ij->i", normal, point - triangles[:, 0]).max()


@pytest.mark.parametrize("other", [body("cube"), ROUGH, FINE], ids=["cube", "rough", "fine"])
@pytest.mark.parametrize("mover", [body("cube"), ROUGH], ids=["cube", "rough"])
def test_it_is_the_deepest_corner_of_either_inside_the_other(mover, other, rng):
    for _ in range(4):
        at = pose(rng.normal(size=3), 0.5 * rng.normal(size=3))
        mine, theirs = at.points(mover.triangles), other.triangles
        expected = max(corners_inside(mine, theirs), corners_inside(theirs, mine))
        assert abs(depth_of_corners(mover, at, other) - expected) < 1e-12


@pytest.mark.parametrize("depth", [0.01, 0.2, 0.45])
def test_how_fine_a_mesh_is_does_not_change_how_deep_it_is_told_to_be(depth):
    for ball in (FINE, ROUGH):
        turned = pose((0.3, 0.2, 0.1)).points(ball.points)
        found = check(ball, pose((0.3, 0.2, 0.1), (0.1, 0.2, -turned[:, 2].min() - depth)), [body("slab")])
        assert abs(found.overlap - depth) < 1e-9


def test_edges_that_cross_above_all_corners_and_sheets_have_none():
    lying, across = pose((0.25 * np.pi, 0.0, 0.0)), pose((0.0, 0.25 * np.pi, 0.0), (0.0, 0.0, 1.4))
    relative = lying.inverse().compose(across)
    assert depth_of_corners(body("cube"), relative, body("cube")) == 0.0
    assert depth_of_corners(body("plane"), pose(at=(0.0, 0.0, 0.1)), body("plane")) == 0.0
