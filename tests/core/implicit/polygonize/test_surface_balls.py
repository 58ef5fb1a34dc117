"""The balls of restricted triangles have their centres on the surface, whatever the triangles' shape."""

import numpy as np
import pytest

from physplace_addon.core.implicit import Boxes, Spheres, union
from physplace_addon.core.implicit.polygonize.restricted_delaunay import DualEdges
from physplace_addon.core.implicit.polygonize.surface_balls import surface_balls
from physplace_addon.core.implicit.polygonize.surface_points import SurfacePoints
from physplace_addon.core.implicit.surface_components.component_search import components_of

TABLE = Boxes.of([0.0, 0.0, -2.0], [[4.0, 4.0, 2.0]])  # its top is z = 0


@pytest.mark.parametrize(
    "corners",
    [
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]],
        [[0.0, 0.0, 0.0], [1.0, 1e-13, 0.0], [2.0, 0.0, 0.0]],
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    ],
    ids=["on a line", "nearly so", "two are one", "all are one"],
)
def test_the_ball_of_a_triangle_without_area_is_where_its_dual_edge_meets_the_surface(
    corners: list[list[float]],
) -> None:
    triangle = np.array([[0, 1, 2]])
    ends = np.array([[[1.0, 0.3, -0.5]], [[1.0, 0.3, 0.5]]])
    edges = DualEdges(triangle, ends[0], ends[1], np.zeros(1, dtype=np.intp))
    with np.errstate(all="raise", under="ignore"):
        balls = surface_balls(
            TABLE, SurfacePoints.of(np.array(corners)), edges, 0.5, components_of(TABLE), None
        )
    assert np.isfinite(balls.radii).all()
    assert np.isfinite(balls.away).all()
    assert balls.centres[0, 2] == pytest.approx(0.0, abs=1e-6)
    assert balls.radii[0] == pytest.approx(np.hypot(1.0, 0.3), abs=1e-6)  # from the first corner
    if len(np.unique(corners, axis=0)) > 2:
        assert balls.centres[0] == pytest.approx([1.0, 0.3, 0.0], abs=1e-6)


def test_a_triangle_is_as_far_from_the_surface_as_it_is_at_midpoints_of_its_edges() -> None:
    """An obtuse triangle's longest edge is far from the sphere, and its own circle's centre is outside."""
    ball = Spheres.of([0.0, 0.0, 0.0], 1.0)
    angles = np.array([[-0.5, 0.0], [0.5, 0.0], [0.0, 0.05]])  # of longitude and latitude
    turn, rise = angles.T
    corners = np.stack([np.cos(rise) * np.cos(turn), np.cos(rise) * np.sin(turn), np.sin(rise)], axis=1)
    middles = 0.5 * (corners + np.roll(corners, 1, axis=0))
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    ends = corners.mean(axis=0) + np.array([[-0.5], [0.5]]) * normal / np.linalg.norm(normal)
    edges = DualEdges(np.array([[0, 1, 2]]), ends[:1], ends[1:], np.zeros(1, dtype=np.intp))
    balls = surface_balls(ball, SurfacePoints.of(corners), edges, 0.5, components_of(ball), None)
    assert balls.away[0] >= 1.0 - np.linalg.norm(middles, axis=1).min()


@pytest.mark.parametrize("far", [1.9, 3.5], ids=["in the next ball", "beyond it"])
def test_halving_ends_on_the_component_of_the_triangle(far: float) -> None:
    """The dual edge leads from one ball into the next, or through it; the triangle has no area."""
    balls = union([Spheres.of([x, 0.0, 0.0], r) for x, r in ((0.0, 0.5), (1.7, 1.0))])
    components = components_of(balls)
    first = components.numbers_of(np.array([[0.5, 0.0, 0.0]]))
    ends = [np.array([[x, 0.05, 0.0]]) for x in (0.0, far)]
    corners = SurfacePoints.of(np.tile([0.5, 0.0, 0.0], (3, 1)))
    edges = DualEdges(np.array([[0, 1, 2]]), ends[0], ends[1], first)
    centres = surface_balls(balls, corners, edges, 0.5, components, None).centres
    assert np.linalg.norm(centres[0]) == pytest.approx(0.5, abs=1e-6)
