"""Profiles that an artist draws: smooth runs, corners, rims, and which side is solid."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces.analytic import swept
from physplace_addon.core.surfaces.analytic.revolution import CircularEdges, Revolution
from physplace_addon.core.surfaces.base import Surface
from physplace_addon.core.surfaces.geometry import FaceGeometry
from tests.core.surfaces.analytic.exact_bodies import ALL, APPLE, GOBLET


def at_first_joint(surface: Surface) -> FaceGeometry:
    assert isinstance(surface, Revolution)
    return surface.geometry(np.zeros(1, dtype=np.intp), np.array([[0.0, surface.breaks[1][1]]]))


@pytest.mark.parametrize("points", [APPLE, GOBLET])
def test_it_does_not_matter_which_way_a_profile_is_drawn(points: Sequence[tuple[float, float]]) -> None:
    one, other = swept.revolution(points), swept.revolution(points[::-1])
    assert one.mass.volume == pytest.approx(other.mass.volume, rel=1e-14)
    g, h = (at_first_joint(body.surfaces[0]) for body in (one, other))
    np.testing.assert_allclose(g.point, h.point, atol=1e-14)
    np.testing.assert_allclose(g.normal, h.normal, atol=1e-14)


def test_a_profile_with_sharp_points_has_rims_there() -> None:
    (rims,) = ALL["goblet"].curves
    assert isinstance(rims, CircularEdges)
    np.testing.assert_allclose(np.column_stack([rims.radius, rims.height]), [[0.6, 0.05], [0.7, 1.2]])
    assert len(ALL["goblet"].surfaces) == 3


def quarter_circle(center: tuple[int, int], start: tuple[int, int], stop: tuple[int, int]) -> list[Floats]:
    k = 4.0 / 3.0 * (math.sqrt(2.0) - 1.0)
    a, b, c = (np.array(p, dtype=float) for p in (start, stop, center))
    corner = a + b - c
    return [a, a + k * (corner - a), b + k * (corner - b), b]


def test_nearly_smooth_bezier_joints_are_made_smooth() -> None:
    """What single precision leaves of a smooth curve stays one face, with smooth poles."""
    pieces = np.array([quarter_circle((0, 0), (0, -1), (1, 0)), quarter_circle((0, 0), (1, 0), (0, 1))])
    noisy = (pieces + np.random.default_rng(0).uniform(-1e-7, 1e-7, pieces.shape)).astype(np.float32)
    body = swept.revolution(noisy.astype(np.float64))
    assert len(body.surfaces) == 1
    assert not body.curves
    assert len(body.vertices) == 0
    joint = body.surfaces[0].breaks[1][1]
    uv = np.array([[0.0, joint - 1e-13], [0.0, joint]])
    normal = body.surfaces[0].geometry(np.zeros(2, dtype=np.intp), uv).normal
    np.testing.assert_allclose(normal[0], normal[1], atol=1e-12)


def test_bezier_corners_become_rims() -> None:
    straight = np.array([[(0, 0), (1 / 3, 0), (2 / 3, 0), (1, 0)], [(1, 0), (1, 0), (0, 1), (0, 1)]])
    body = swept.revolution(straight)
    assert body.curves[0].edge_count == 1
    assert len(body.vertices) == 1
    assert body.mass.volume == pytest.approx(math.pi / 3.0, rel=1e-13)


def test_an_outline_drawn_along_the_axis_too_is_the_same_solid() -> None:
    corners = np.array([(0, 0), (1, 0), (1, 2), (0, 2), (0, 1)], dtype=float)
    outline = swept.revolution(corners, closed=True, sharp=[True] * 5)
    assert outline.closed
    assert len(outline.surfaces) == 3
    assert outline.mass.volume == pytest.approx(2.0 * math.pi, rel=1e-13)
    sides = zip(corners, np.roll(corners, -1, axis=0), strict=True)
    pieces = np.array([np.linspace(a, b, 4) for a, b in sides])
    for start in range(5):
        turned = swept.revolution(np.roll(pieces, start, axis=0), closed=True)
        assert len(turned.surfaces) == 3
        assert turned.mass.volume == pytest.approx(2.0 * math.pi, rel=1e-13)
