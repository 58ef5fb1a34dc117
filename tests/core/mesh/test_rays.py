"""Where a ray meets triangles, against a march along the ray."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.mesh.rays import first_hit


def _by_solving(triangles: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """The least distance, each triangle by a linear system of its own; inf for none."""
    best = np.inf
    for a, b, c in triangles:
        t, v, w = np.linalg.solve(np.column_stack([direction, a - b, a - c]), a - origin)
        if t >= 0.0 and v >= 0.0 and w >= 0.0 and v + w <= 1.0:
            best = min(best, t)
    return best


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_first_of_random_triangles_is_found(scale: float) -> None:
    draw = np.random.default_rng(3)
    met = 0
    for _ in range(200):
        triangles = scale * draw.normal(size=(6, 3, 3))
        origin, direction = scale * draw.normal(size=3), draw.normal(size=3)
        hit, expected = first_hit(triangles, origin, direction), _by_solving(triangles, origin, direction)
        assert (hit is None) == np.isinf(expected)
        if hit is not None:
            met += 1
            assert hit.distance == pytest.approx(expected, rel=1e-9)
            assert np.linalg.norm(hit.normal) == pytest.approx(1.0)
            assert hit.normal @ direction < 0.0
    assert met > 20


def test_a_parallel_or_collapsed_triangle_is_not_met() -> None:
    beside = np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], np.ones((3, 3))])
    assert first_hit(beside, np.array([-1.0, 0.1, 0.0]), np.array([1.0, 0.0, 0.0])) is None
