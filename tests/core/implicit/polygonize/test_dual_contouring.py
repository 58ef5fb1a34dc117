"""Dual contouring: the mesh is closed, wound outwards, on the surface, of its topology, with its creases."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.implicit import (
    HalfSpaces,
    ImplicitFunction,
    Spheres,
    blobby_spheres,
    difference,
    union,
)
from physplace_addon.core.implicit.polygonize.dual_contouring import GridMesh, grid_mesh
from tests.core.implicit.surfaces import blob_of_genus, torus

CUBE = np.vstack([np.eye(3), -np.eye(3)])
SHAPES: dict[str, tuple[ImplicitFunction, int]] = {  # each with its Euler characteristic
    "balls that flow together": (blobby_spheres(0.37, [[0.0, 0, 0], [1.2, 0, 0]], [1.0, 0.7]), 2),
    "two balls apart": (blobby_spheres(0.37, [[0.0, 0, 0], [4.0, 0, 0]], [1.0, 0.3]), 4),
    "torus": (torus(), 0),
    "genus 3": (blob_of_genus(3, 1), -4),
    "sharp union": (union([Spheres.of([0, 0, 0], 1.0), Spheres.of([1.2, 0, 0], 0.8)]), 2),
    "cube": (HalfSpaces.of(CUBE, CUBE), 2),
    "cube less a ball": (difference(HalfSpaces.of(CUBE, CUBE), [Spheres.of([1, 1, 1], 0.9)]), 2),
}


def sides(quads: Ints) -> Ints:
    """The directed sides (4 q, 2) of quadrilaterals."""
    return np.stack([quads, np.roll(quads, -1, axis=1)], axis=-1).reshape(-1, 2)


def volume(mesh: GridMesh) -> float:
    """The volume within a closed mesh, each face as two triangles."""
    corners = mesh.points[mesh.quads]
    triangles = np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])
    return float(np.linalg.det(triangles).sum() / 6.0)


@pytest.mark.parametrize("name", SHAPES)
def test_the_mesh_is_closed_wound_outwards_and_of_the_surfaces_topology(name: str) -> None:
    function, euler = SHAPES[name]
    mesh = grid_mesh(function, function.box(), 0.03 if euler < 0 else 0.06)
    directed = sides(mesh.quads)
    both = np.concatenate([directed, directed[:, ::-1]])
    _, counts = np.unique(both, axis=0, return_counts=True)
    assert (counts == 2).all(), "each side belongs to two faces, which go along it in opposite ways"
    assert len(mesh.points) - len(directed) // 2 + len(mesh.quads) == euler
    assert volume(mesh) > 0.0
    value, slope = function.gradient(mesh.points)
    steep = np.linalg.norm(slope, axis=1)
    assert (np.abs(value) <= 1e-3 * 0.06 * np.where(steep > 0.0, steep, 1.0)).all()


def test_a_cube_keeps_its_edges_and_corners() -> None:
    cube = HalfSpaces.of(CUBE, CUBE)
    mesh = grid_mesh(cube, cube.box(), 0.13)
    assert volume(mesh) == pytest.approx(8.0, rel=2e-3)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    apart = np.linalg.norm(mesh.points[:, None] - corners, axis=2).min(axis=0)
    assert apart.max() < 0.02
    assert mesh.creased
    assert np.abs(mesh.normals).max(axis=2).min() == pytest.approx(1.0), "no normal is that of an edge"


def test_a_finer_mesh_is_nearer_to_the_surface() -> None:
    ball = Spheres.of([0.1, 0.2, 0.3], 1.0)
    errors = []
    for spacing in (0.2, 0.1, 0.05):
        errors.append(abs(volume(grid_mesh(ball, ball.box(), spacing)) / (4.0 / 3.0 * np.pi) - 1.0))
    assert errors[1] < errors[0] / 3.0
    assert errors[2] < errors[1] / 3.0


def test_normals_are_the_surfaces_own() -> None:
    ball = Spheres.of([0.1, 0.2, 0.3], 1.0)
    mesh = grid_mesh(ball, ball.box(), 0.2)
    np.testing.assert_allclose(mesh.normals, mesh.points[mesh.quads] - [0.1, 0.2, 0.3], atol=1e-9)
    assert not mesh.creased


@pytest.mark.parametrize(("size", "place"), [(1e-3, (0.0, 0.0, 0.0)), (100.0, (1e4, -1e4, 0.0))])
def test_any_size_and_place_give_the_same_mesh(size: float, place: tuple[float, float, float]) -> None:
    here = Spheres.of([0.0, 0.0, 0.0], 1.0)
    there = Spheres.of(place, size)
    one = grid_mesh(here, here.box(), 0.11)
    other = grid_mesh(there, there.box(), 0.11 * size)
    np.testing.assert_array_equal(one.quads, other.quads)
    np.testing.assert_allclose(other.points, one.points * size + place, atol=1e-6 * size)


def test_a_box_that_cuts_the_surface_off_leaves_it_open() -> None:
    plane = HalfSpaces.of([[0, 0, 1]], [[0, 0, 0]])
    box: Floats = np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    mesh = grid_mesh(plane, box, 0.2)
    assert len(mesh.quads)
    assert np.abs(mesh.points[:, 2]).max() < 1e-12
    assert (mesh.normals[..., 2] > 0.99).all()


def test_no_surface_gives_no_mesh() -> None:
    for function in (blobby_spheres(2.0, [[0, 0, 0]], [1.0]), blobby_spheres(0.5, np.zeros((0, 3)), [])):
        assert not len(grid_mesh(function, function.box(), 0.1).quads)
