"""What an open mesh weighs: as the solid that its holes are holes of, or as a sheet."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.mesh.mass import mass_of_triangles
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES, SQUARE_POINTS, SQUARE_TRIANGLES, beside, moebius
from tests.core.polygon_meshes import lathe

ROUND = np.linspace(0.0, np.pi, 25)
BALL = [(float(np.sin(a)), float(np.cos(a))) for a in ROUND]
STRETCHED = np.array([[3.0, 0.4, 0.0], [0.0, -0.5, 0.3], [0.7, 0.0, 9.0]])


def turned(profile: Sequence[tuple[float, float]], affine: Floats | None = None) -> tuple[Floats, Ints]:
    """A profile of (r, z), from top to bottom, turned about z and mapped."""
    points, faces = lathe([(0.0 if r < 1e-9 else r, z) for r, z in profile[::-1]], 32)
    triangles = np.array([[f[0], f[i], f[i + 1]] for f in faces for i in range(1, len(f) - 1)])
    return (points if affine is None else points @ affine.T), triangles


def below(height: float) -> list[tuple[float, float]]:
    """A ball cut off at a height, its cut open."""
    return [*(place for place in BALL if place[1] > height), (float(np.sqrt(1.0 - height**2)), height)]


@pytest.mark.parametrize("affine", [None, STRETCHED, 1e-3 * np.eye(3)])
@pytest.mark.parametrize("height", [-0.7, -0.9])
def test_a_bust_without_a_bottom_weighs_as_if_it_had_one(height: float, affine: Floats | None) -> None:
    points, triangles = turned(below(height), affine)
    body = polyhedron(points, triangles, "bust")
    hull = ConvexHull(points)
    middle = points.mean(axis=0)
    outward = np.einsum("ti,ti->t", hull.equations[:, :3], points[hull.simplices[:, 0]] - middle) > 0.0
    along, across = (points[hull.simplices[:, i]] - points[hull.simplices[:, 0]] for i in (1, 2))
    normal = np.cross(along, across)
    alike = (np.einsum("ti,ti->t", normal, hull.equations[:, :3]) > 0.0) == outward
    solid = mass_of_triangles(points, np.where(alike[:, None], hull.simplices, hull.simplices[:, ::-1]))
    assert (body.closed, body.mass.basis) == (False, "volume")
    assert body.mass.volume == pytest.approx(hull.volume, rel=1e-12)
    np.testing.assert_allclose(body.mass.center, solid.center, atol=1e-12 * body.radius)
    np.testing.assert_allclose(body.mass.inertia, solid.inertia, atol=1e-12 * body.radius**2)
    assert "1 open borders, of 32 edges: its mass is from its hull" in body.notes[-1]


@pytest.mark.parametrize("affine", [None, STRETCHED])
@pytest.mark.parametrize(
    "profile",
    [
        [(1.0, 0.3), (1.0, 0.0), (0.0, 0.0)],
        [(1.0, 9.0), (1.0, 0.0), (0.0, 0.0)],
        [(1.0, 1.0), (1.0, 0.0)],
        [(0.0, 1.0), (1.0, 0.0)],
        [(r, 0.1 * r * r) for r in np.linspace(1.0, 0.0, 9)],
        below(0.0),
    ],
    ids=["dish", "vase", "tube", "cone", "bowl", "dome"],
)
def test_a_vessel_and_a_tube_are_sheets_of_any_size(
    profile: Sequence[tuple[float, float]], affine: Floats | None
) -> None:
    body = polyhedron(*turned(profile, affine), "vessel")
    assert body.mass.basis == "area"
    assert "its mass is spread over its area" in body.notes[-1]


def test_a_sheet_on_a_solid_weighs_nothing_and_a_screw_in_a_sheet_makes_no_solid() -> None:
    cube = (CUBE_POINTS, CUBE_TRIANGLES)
    flag = (SQUARE_POINTS + 0.5, SQUARE_TRIANGLES)
    with_flag = polyhedron(*beside(cube, flag), "flag")
    np.testing.assert_allclose(with_flag.mass.center, 0.0, atol=1e-15)
    assert with_flag.mass.volume == pytest.approx(1.0)
    with_screw = polyhedron(*beside((0.3 * CUBE_POINTS, CUBE_TRIANGLES), flag), "screw")
    assert with_screw.mass.basis == "area"


def test_a_fin_on_a_closed_mesh_leaves_its_weight() -> None:
    points = np.vstack([CUBE_POINTS, [[1.5, 0.0, 0.5]]])
    body = polyhedron(points, np.vstack([CUBE_TRIANGLES, [[5, 7, 8]]]), "fin")
    assert body.mass.volume == pytest.approx(1.0)
    assert any("more than two faces" in note for note in body.notes)


@pytest.mark.parametrize("inverted", [False, True])
def test_a_cavity_in_a_solid_with_a_hole_stays_one(inverted: bool) -> None:
    points, triangles = turned(below(-0.9))
    mesh = beside((points, triangles), (0.5 * CUBE_POINTS, CUBE_TRIANGLES[:, ::-1]))
    body = polyhedron(mesh[0], mesh[1][:, ::-1] if inverted else mesh[1], "hollow")
    assert body.mass.volume == pytest.approx(ConvexHull(points).volume - 0.125)
    assert body.notes[-1] == "1 inner shells taken as cavities"


def test_a_strip_of_one_side_and_a_crumpled_sheet_are_no_solids(rng: np.random.Generator) -> None:
    assert polyhedron(*moebius(20), "strip").mass.basis == "area"
    points, faces = lathe([(0.1 * (i + 1), 0.0) for i in range(12)], 24)
    crumpled = points + rng.normal(size=(len(points), 1)) * np.array([0.0, 0.0, 0.05])
    triangles = np.array([[f[0], f[i], f[i + 1]] for f in faces for i in range(1, len(f) - 1)])
    assert polyhedron(crumpled, triangles, "cloth").mass.basis == "area"
