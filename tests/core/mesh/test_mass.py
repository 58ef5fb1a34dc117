"""Mass properties against closed forms and against sampling."""

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core import arrays
from physplace_addon.core.arrays import Floats
from physplace_addon.core.errors import PhysPlaceError
from physplace_addon.core.mesh.mass import AREA, combined, comparable, mass_of_triangles
from physplace_addon.core.rigid import Pose, rotation_matrix

BOX_POINTS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
BOX_TRIANGLES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)


@pytest.fixture(autouse=True)
def _short_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A box is weighed in three portions, as a mesh of ten thousands of triangles is."""
    monkeypatch.setattr(arrays, "PORTION", 5)


def box_inertia(size: Floats) -> Floats:
    squares = np.square(size)
    return np.diag(squares.sum() - squares) / 12.0


def test_a_box_has_the_inertia_of_the_books() -> None:
    size = np.array([1.0, 2.0, 3.0])
    mass = mass_of_triangles(BOX_POINTS * size, BOX_TRIANGLES)
    assert mass.volume == pytest.approx(6.0, rel=1e-15)
    assert np.allclose(mass.center, 0.5 * size, rtol=1e-15)
    assert np.allclose(mass.inertia, box_inertia(size), rtol=0.0, atol=1e-14)


def test_a_box_far_from_the_origin_loses_only_the_digits_of_its_coordinates() -> None:
    far = np.array([1e6, -3e6, 2e6])
    mass = mass_of_triangles(BOX_POINTS + far, BOX_TRIANGLES)
    assert mass.volume == pytest.approx(1.0, rel=1e-14)
    assert np.allclose(mass.center - far, 0.5, rtol=0.0, atol=1e-9)
    assert np.allclose(mass.inertia, box_inertia(np.ones(3)), rtol=0.0, atol=1e-14)


def test_an_inside_out_box_weighs_the_same() -> None:
    mass = mass_of_triangles(BOX_POINTS, BOX_TRIANGLES[:, ::-1])
    assert mass.volume == pytest.approx(1.0)
    assert np.allclose(mass.inertia, box_inertia(np.ones(3)))


def test_a_tetrahedron_agrees_with_sampling(rng: np.random.Generator) -> None:
    corners = rng.normal(size=(4, 3))
    faces = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
    mass = mass_of_triangles(corners, faces)
    weights = rng.dirichlet(np.ones(4), size=400_000)
    samples = weights @ corners
    offset = samples - samples.mean(axis=0)
    assert np.allclose(mass.center, corners.mean(axis=0), atol=1e-14)
    assert np.allclose(mass.second_moment, offset.T @ offset / len(offset), atol=3e-3)


def test_a_sheet_has_the_centroid_and_inertia_of_a_plate() -> None:
    square = np.array([[0.0, 0.0, 5.0], [2.0, 0.0, 5.0], [2.0, 1.0, 5.0], [0.0, 1.0, 5.0]])
    mass = mass_of_triangles(square, [[0, 1, 2], [0, 2, 3]], AREA)
    assert mass.volume == pytest.approx(2.0)
    assert np.allclose(mass.center, [1.0, 0.5, 5.0])
    assert np.allclose(mass.inertia, np.diag([1.0, 4.0, 5.0]) / 12.0)


@pytest.mark.parametrize("determinant", [1.0, -1.0])
def test_mass_moves_with_any_affine_map_as_its_mesh_does(
    rng: np.random.Generator, determinant: float
) -> None:
    affine = np.eye(4)
    affine[:3, :3] = rng.normal(size=(3, 3)) @ np.diag([1.0, 1.0, determinant])
    affine[:3, 3] = rng.normal(size=3)
    moved = BOX_POINTS @ affine[:3, :3].T + affine[:3, 3]
    expected = mass_of_triangles(moved, BOX_TRIANGLES)
    found = mass_of_triangles(BOX_POINTS, BOX_TRIANGLES).transformed(affine)
    assert found.volume == pytest.approx(expected.volume, rel=1e-13)
    assert np.allclose(found.center, expected.center, atol=1e-14)
    assert np.allclose(found.inertia, expected.inertia, rtol=1e-12, atol=1e-14)


def test_a_sheet_moves_with_a_similarity_as_its_mesh_does(rng: np.random.Generator) -> None:
    pose = Pose(rng.normal(size=4), rng.normal(size=3))
    affine = pose.matrix4 @ np.diag([3.0, 3.0, 3.0, 1.0])
    moved = BOX_POINTS @ affine[:3, :3].T + affine[:3, 3]
    expected = mass_of_triangles(moved, BOX_TRIANGLES[:5], AREA)
    found = mass_of_triangles(BOX_POINTS, BOX_TRIANGLES[:5], AREA).transformed(affine)
    assert found.volume == pytest.approx(expected.volume, rel=1e-13)
    assert np.allclose(found.inertia, expected.inertia, rtol=1e-12)


def test_two_boxes_side_by_side_weigh_as_one(rng: np.random.Generator) -> None:
    turn = rotation_matrix(rng.normal(size=3))
    near, beside, whole = (
        mass_of_triangles((BOX_POINTS * size + shift) @ turn.T, BOX_TRIANGLES)
        for size, shift in (((1, 1, 1), (0, 0, 0)), ((2, 1, 1), (1, 0, 0)), ((3, 1, 1), (0, 0, 0)))
    )
    both = combined([near, beside])
    assert both.volume == pytest.approx(3.0)
    assert np.allclose(both.center, whole.center)
    assert np.allclose(both.inertia, whole.inertia, atol=1e-14)


def test_a_compound_is_weighed_by_the_densities_of_its_parts() -> None:
    aside = np.array([4.0, 0.0, 0.0])
    light, heavy = (mass_of_triangles(BOX_POINTS + shift * aside, BOX_TRIANGLES) for shift in (0.0, 1.0))
    both = combined([light, replace(heavy, density=3.0)])
    assert np.allclose(both.center, [3.5, 0.5, 0.5])
    assert both.mass == pytest.approx(4.0)
    assert np.allclose(both.inertia, combined([light, heavy, heavy, heavy]).inertia, rtol=1e-14)


def test_a_given_mass_stays_when_the_body_is_scaled_and_is_added_to_any_other() -> None:
    solid = mass_of_triangles(BOX_POINTS, BOX_TRIANGLES).weighing(3.0)
    scaled = solid.transformed(np.diag([2.0, 2.0, 2.0, 1.0]))
    assert scaled.mass == pytest.approx(3.0)
    assert scaled.volume == pytest.approx(8.0)
    sheet = mass_of_triangles(BOX_POINTS[[0, 1, 2]] + [0, 0, 5], [[0, 1, 2]], AREA)
    assert comparable([solid, sheet])
    both = combined([solid, sheet])
    assert both.mass == pytest.approx(3.5)
    assert np.allclose(both.center, (3.0 * solid.center + 0.5 * sheet.center) / 3.5)
    assert not comparable([replace(solid, given=False), sheet])


def test_what_has_no_mass_is_refused() -> None:
    with pytest.raises(PhysPlaceError, match="no triangles"):
        mass_of_triangles(BOX_POINTS, np.empty((0, 3)))
    with pytest.raises(PhysPlaceError, match="no volume"):
        mass_of_triangles(BOX_POINTS, BOX_TRIANGLES[:2])
    with pytest.raises(PhysPlaceError, match="cannot add"):
        combined([])
