"""Cleaning: vertices that are one are welded, and nothing else changes."""

import numpy as np
import pytest

from physplace_addon.core.errors import MeshError
from physplace_addon.core.mesh.cleaning import WELD, clean, weld
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES, split


@pytest.mark.parametrize("seed", range(3))
def test_points_within_the_tolerance_are_merged_as_in_a_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(40, 3))[rng.integers(0, 40, size=120)] + 1e-9 * rng.normal(size=(120, 3))
    welded, labels = weld(points, 1e-7)
    near = np.linalg.norm(points[:, None] - points, axis=2) <= 1e-7
    first = near.argmax(axis=1)
    assert np.array_equal(welded[labels], points[first])
    assert len(welded) == len(set(first.tolist()))


def test_chains_of_near_points_become_one() -> None:
    points = np.outer(np.arange(5.0), [0.6e-7, 0.0, 0.0])
    welded, labels = weld(points, 1e-7)
    assert len(welded) == 1
    assert labels.tolist() == [0] * 5


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_soup_of_triangles_becomes_the_mesh_it_was(scale: float) -> None:
    found = clean(
        scale * split(CUBE_POINTS, CUBE_TRIANGLES)[0], split(CUBE_POINTS, CUBE_TRIANGLES)[1], "cube"
    )
    assert found.points.shape == (8, 3)
    assert np.array_equal(found.points[found.triangles], scale * CUBE_POINTS[CUBE_TRIANGLES])
    assert found.width == pytest.approx(WELD * scale * np.linalg.norm(np.ptp(CUBE_POINTS, axis=0)))
    assert any("doubled vertices merged" in note for note in found.notes)


def test_a_clean_mesh_stays_as_it_is() -> None:
    found = clean(CUBE_POINTS, CUBE_TRIANGLES, "cube")
    assert found.notes == ()
    assert np.array_equal(found.triangles, CUBE_TRIANGLES)


def test_a_mesh_without_area_is_refused_by_name() -> None:
    line = np.outer(np.arange(3.0), [1.0, 1.0, 0.0])
    with pytest.raises(MeshError, match="wire"):
        clean(line, np.array([[0, 1, 2]]), "wire")
