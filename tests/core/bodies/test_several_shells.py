"""Bodies from meshes of several shells: beside, inside, glued to or through each other."""

import numpy as np
import pytest

from physplace_addon.core import arrays
from physplace_addon.core.arrays import Ints
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.mesh.inside import encloses, winding_number
from tests.core.bodies.polyhedron_structure import check_structure
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES, beside, cube_mesh, torus

CUBE_CUT_OTHERWISE = np.array(
    [
        [*corners]
        for (a, b, c), (_, _, d) in CUBE_TRIANGLES.reshape(6, 2, 3)
        for corners in ((b, c, d), (b, d, a))
    ]
)
"""The cube's triangles with the other diagonals."""


@pytest.fixture(autouse=True)
def _short_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small meshes are gone through in portions, as those of ten thousands of triangles are."""
    monkeypatch.setattr(arrays, "PORTION", 17)


def test_a_shell_inside_out_beside_a_good_one_is_turned() -> None:
    inverted = (cube_mesh(1.0, (3.0, 0.0, 0.0))[0], CUBE_TRIANGLES[:, ::-1])
    body = polyhedron(*beside(cube_mesh(2.0), inverted), "two cubes")
    assert body.closed
    assert body.mass.volume == pytest.approx(9.0)


@pytest.mark.parametrize("inverted", [False, True])
def test_a_cavity_stays_a_cavity(inverted: bool) -> None:
    points, triangles = beside(cube_mesh(2.0), (cube_mesh(1.0)[0], CUBE_TRIANGLES[:, ::-1]))
    body = polyhedron(points, triangles[:, ::-1] if inverted else triangles, "hollow")
    assert body.closed
    assert body.mass.volume == pytest.approx(7.0)


@pytest.mark.parametrize("offset", [(1.0, 1.0, 0.0), (1.0, 1.0, 1.0)])
def test_solids_that_touch_in_an_edge_or_a_corner_stay_solid(offset: tuple[float, float, float]) -> None:
    body = polyhedron(*beside(cube_mesh(), cube_mesh(1.0, offset)), "touching")
    check_structure(body)
    assert body.closed
    assert body.mass.volume == pytest.approx(2.0)


@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize("other", [CUBE_TRIANGLES, CUBE_CUT_OTHERWISE], ids=["alike", "otherwise"])
def test_solids_glued_at_faces_are_one_solid_without_walls(count: int, other: Ints) -> None:
    cubes = [
        (cube_mesh(1.0, (float(i), 0.0, 0.0))[0], other if i % 2 else CUBE_TRIANGLES) for i in range(count)
    ]
    body = polyhedron(*beside(*cubes), "glued")
    check_structure(body)
    assert body.closed
    assert body.mass.volume == pytest.approx(count)
    assert body.face_count == 2 * (4 * count + 2)
    assert body.notes[-1] == f"{2 * (count - 1)} triangles of walls inside left out"


def test_a_doubled_face_outside_of_glued_solids_is_no_wall() -> None:
    points, triangles = beside(cube_mesh(), cube_mesh(1.0, (1.0, 0.0, 0.0)))
    body = polyhedron(points, np.vstack([triangles, triangles[:2, ::-1]]), "glued")
    assert body.closed
    assert body.mass.volume == pytest.approx(2.0)


def test_a_square_from_one_solid_to_another_is_no_wall() -> None:
    """What is left without it is a solid, but it is not inside of that."""
    points, triangles = beside(cube_mesh(), cube_mesh(1.0, (2.0, 0.0, 0.0)))
    square = np.array([[7, 6, 10], [7, 10, 11]])
    body = polyhedron(points, np.vstack([triangles, square, square[:, ::-1]]), "bridge")
    assert not body.closed
    assert body.face_count == 26


@pytest.mark.parametrize("turn", [1, -1])
def test_a_solid_that_is_there_twice_and_cut_otherwise_counts_once(turn: int) -> None:
    body = polyhedron(CUBE_POINTS, np.vstack([CUBE_TRIANGLES, CUBE_CUT_OTHERWISE[:, ::turn]]), "twice")
    check_structure(body)
    assert body.closed
    assert body.mass.volume == pytest.approx(1.0)
    assert body.notes == ("12 triangles of doubled faces merged",)


def test_a_shell_inside_out_in_the_hole_of_a_ring_is_no_cavity() -> None:
    ring = torus(24, 12)
    body = polyhedron(*beside(ring, (cube_mesh(0.9)[0], CUBE_TRIANGLES[:, ::-1])), "ring and cube")
    assert body.closed
    assert body.mass.volume == pytest.approx(polyhedron(*ring, "ring").mass.volume + 0.9**3)


@pytest.mark.parametrize("inverted", [False, True])
def test_matter_inside_matter_adds_none_and_matter_in_a_cavity_does(inverted: bool) -> None:
    hollow = (cube_mesh(2.0)[0], CUBE_TRIANGLES[:, ::-1])
    shells = (cube_mesh(3.0), hollow, cube_mesh(1.0), cube_mesh(0.5))
    points, triangles = beside(*shells)
    body = polyhedron(points, triangles[:, ::-1] if inverted else triangles, "shells")
    assert body.closed
    assert body.mass.volume == pytest.approx(27.0 - 8.0 + 1.0)
    assert body.notes[-2:] == ("1 inner shells taken as cavities", "1 inner shells that add no mass")


def test_many_shells_know_their_places(rng: np.random.Generator) -> None:
    """Against the winding number, for boxes in and around a ring."""
    places = 3.5 * rng.uniform(-1.0, 1.0, size=(200, 3)) * [1.0, 1.0, 0.4]
    ring = torus(48, 24)
    inside = encloses(ring[0][ring[1]], places)
    assert np.array_equal(inside, [winding_number(place, ring[0][ring[1]]) > 0.5 for place in places])
    assert 20 < inside.sum() < 180
