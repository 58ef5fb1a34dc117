"""Meshes of what is thin: closed, near to the surface, and of triangles that are not thin themselves."""

import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Bools, Floats
from physplace_addon.core.implicit import (
    Boxes,
    Ellipsoids,
    Spheres,
    difference,
    union,
)
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.functions.transformed import Moved
from physplace_addon.core.implicit.polygonize.creases.crease_curves import CreaseCurves
from physplace_addon.core.implicit.polygonize.creases.crease_points import CreasePoints
from physplace_addon.core.implicit.polygonize.creases.normal_jumps import creases_between
from physplace_addon.core.implicit.polygonize.delaunay_refinement import points_of_a_round
from physplace_addon.core.implicit.polygonize.mesh_topology import MeshTopology
from physplace_addon.core.implicit.polygonize.surface_balls import SurfaceBalls
from physplace_addon.core.implicit.polygonize.surface_points import SurfacePoints
from physplace_addon.core.implicit.polygonize.surface_sampling import surface_samples
from physplace_addon.core.implicit.polygonize.triangulation import (
    MeshStatus,
    Triangulation,
    triangulated,
    triangulating,
)
from physplace_addon.core.implicit.projection import distances_to_surface, projected
from physplace_addon.core.jobs import Progress
from tests.core.implicit.functions.every_function import rotations
from tests.core.implicit.surfaces import lens, wedge
from tests.oracles.triangles import crossings

SIGMA = 0.1


def ellipsoid(*axes: float) -> ImplicitFunction:
    """An ellipsoid about the origin, turned."""
    return Ellipsoids.of([[0.0, 0.0, 0.0]], [axes], rotations(np.random.default_rng(2), 1))


def least_angles(mesh: Triangulation) -> Floats:
    """The least angle of each triangle (t,), in degrees."""
    corners = mesh.points[mesh.triangles]
    sides = np.roll(corners, -1, axis=1) - corners
    sides /= np.linalg.norm(sides, axis=2)[:, :, None]
    cosines = -np.einsum("tci,tci->tc", sides, np.roll(sides, 1, axis=1))
    return np.asarray(np.degrees(np.arccos(cosines.max(axis=1))))


def places_on(mesh: Triangulation) -> Floats:
    """Places (k, 3) all over the triangles."""
    weights = np.random.default_rng(0).dirichlet([1.0, 1.0, 1.0], size=16)
    places: Floats = np.einsum("sc,tci->tsi", weights, mesh.points[mesh.triangles]).reshape(-1, 3)
    return places


@pytest.mark.parametrize("axes", [(1.0, 1.0, 0.1), (1.0, 0.3, 0.06), (1.0, 0.04, 0.04)])
def test_a_flat_or_slender_body_has_a_closed_mesh_of_good_triangles(axes: tuple[float, ...]) -> None:
    function = ellipsoid(*axes)
    mesh = triangulated(function, surface_samples(function, 2.0 * SIGMA), SIGMA)
    assert mesh.status is MeshStatus.CLOSED
    assert not MeshTopology.of(mesh.triangles, len(mesh.points)).non_manifold.any()
    assert mesh.euler_characteristic == 2
    assert least_angles(mesh).min() >= 15.0
    corners = mesh.points[mesh.triangles]
    assert not len(crossings(corners, corners, 1e-9))
    places = places_on(mesh)
    far = np.linalg.norm(places - projected(function, places, 0.05), axis=1)
    assert far.max() <= 0.05 * SIGMA
    assert mesh.volume == pytest.approx(4.0 / 3.0 * np.pi * np.prod(axes), rel=1e-3)


def test_a_narrow_blend_has_good_triangles_as_near_to_the_surface_as_all_else() -> None:
    """Triangles across it were cut for a distance that was not too great, and were not measured all over."""
    parts = [Spheres.of([0.0, 0.0, 0.0], 0.4), Ellipsoids.of([0.0, 0.3, 0.0], [0.6, 0.08, 0.08])]
    function = union(parts, 0.01)
    mesh = triangulated(function, surface_samples(function, 0.24), 0.12)
    assert mesh.status is MeshStatus.CLOSED
    assert least_angles(mesh).min() >= 15.0
    places = places_on(mesh)
    away = np.linalg.norm(places - projected(function, places, 0.1), axis=1)
    assert away.max() <= 0.05 * 0.12


def test_what_needs_too_many_points_is_refused_before_they_are_made() -> None:
    function = ellipsoid(1.0, 1.0, 0.02)
    ended: list[Triangulation] = []

    def rounds() -> Iterator[Progress]:
        ended.append((yield from triangulating(function, surface_samples(function, 2.0 * SIGMA), SIGMA)))

    assert not list(rounds())
    assert ended[0].status is MeshStatus.TOO_THIN


LEFT, RIGHT = (Spheres.of([[x, 0.0, 0.0]], [0.6]) for x in (-0.3, 0.3))
BITE = Spheres.of([[0.55, 0.4, 0.15]], [0.35])


@pytest.mark.parametrize(
    ("function", "sides"),
    [
        (union([LEFT, RIGHT]), [LEFT, RIGHT]),
        (difference(LEFT, [RIGHT]), [LEFT, RIGHT]),
        (difference(Boxes.of([0.0, 0.0, 0.0], [[0.6, 0.45, 0.3]]), [BITE]), [BITE]),
    ],
    ids=["union", "difference", "bitten box"],
)
def test_creases_are_edges_of_the_mesh(function: ImplicitFunction, sides: list[ImplicitFunction]) -> None:
    mesh = triangulated(function, surface_samples(function, 2.0 * SIGMA), SIGMA)
    assert mesh.status is MeshStatus.CLOSED
    topology = MeshTopology.of(mesh.triangles, len(mesh.points))
    assert not topology.non_manifold.any()
    assert mesh.euler_characteristic == 2
    corners = mesh.points[mesh.triangles]
    assert not len(crossings(corners, corners, 1e-9))
    places = places_on(mesh)
    assert distances_to_surface(*function.gradient(places)).max() <= 0.05 * SIGMA
    values = np.abs(np.stack([side.value(mesh.points) for side in sides], axis=1))
    creased = on_edges(mesh.points, values[:, 0])
    if len(sides) > 1:
        creased = np.asarray((values < 1e-9).all(axis=1))
    assert least_angles(mesh)[~creased[mesh.triangles].any(axis=1)].min() >= 15.0
    plain = topology.ends[~creased[topology.ends].any(axis=1)]
    assert not len(creases_between(function, mesh.points[plain])[0])
    along = topology.ends[creased[topology.ends].all(axis=1)]
    middles = mesh.points[along].mean(axis=1)
    assert len(along) >= creased.sum() - 1
    assert distances_to_surface(*function.gradient(middles)).max() <= 0.05 * SIGMA


def on_edges(points: Floats, of_bite: Floats) -> Bools:
    """Which points (n, 3) of the bitten box are on two of its sides, or on one and the bite (n,)."""
    sides = np.isclose(np.abs(points), [0.6, 0.45, 0.3], rtol=0, atol=1e-9).sum(axis=1)
    return np.asarray(sides + (of_bite < 1e-9) >= 2)


@pytest.mark.parametrize(
    ("degrees", "radius", "scale"),
    [(45.0, 0.8, 1.0), (30.0, 0.4, 1e3), (20.0, 0.8, 1e-3), (20.0, 0.4, 1.0), (12.0, 0.4, 1.0)],
)
def test_the_rim_of_a_lens_is_edges_of_the_mesh_however_sharp_it_is(
    degrees: float, radius: float, scale: float
) -> None:
    affine, turn = np.eye(4), rotations(np.random.default_rng(3), 1)[0]
    affine[:3, :3] = scale * turn
    function, sigma = Moved(lens(degrees, radius), affine), SIGMA * scale
    begun = time.process_time()
    mesh = triangulated(function, surface_samples(function, 2.0 * sigma), sigma)
    assert time.process_time() - begun < 10.0  # 2 s on a machine that does nothing else
    assert mesh.status is MeshStatus.CLOSED
    topology = MeshTopology.of(mesh.triangles, len(mesh.points))
    assert not topology.non_manifold.any()
    assert mesh.euler_characteristic == 2
    corners = mesh.points[mesh.triangles] / scale
    assert not len(crossings(corners, corners, 1e-9))
    places = places_on(mesh)
    assert distances_to_surface(*function.gradient(places)).max() <= 0.05 * sigma
    own = mesh.points / scale @ turn
    rim = (np.abs(own[:, 2]) < 1e-9) & np.isclose(np.hypot(own[:, 0], own[:, 1]), radius, rtol=1e-9, atol=0)
    assert rim.sum() > 20
    assert rim[topology.ends].all(axis=1).sum() == rim.sum()
    assert least_angles(mesh)[~rim[mesh.triangles].any(axis=1)].min() >= 15.0
    assert len(mesh.points) < 12_000


CRESCENT = difference(Spheres.of([0.0, 0.0, 0.0], 0.6), [Spheres.of([0.3, 0.0, 0.0], 0.5)])


def on_crescent_s_knife(places: Floats) -> Bools:
    """Which places (n, 3) are on both spheres."""
    inner = np.linalg.norm(places - [0.3, 0.0, 0.0], axis=1)
    return np.asarray((np.abs(inner - 0.5) < 1e-9) & (np.abs(np.linalg.norm(places, axis=1) - 0.6) < 1e-9))


def on_wedge_s_knife(places: Floats) -> Bools:
    """Which places (n, 3) are on the y axis."""
    return np.asarray((np.abs(places[:, [0, 2]]) < 1e-9).all(axis=1))


@pytest.mark.parametrize(
    ("function", "on_knife", "ends"),
    [(wedge(20.0), on_wedge_s_knife, 1), (CRESCENT, on_crescent_s_knife, 0)],
    ids=["wedge", "crescent"],
)
def test_knives_between_corners_and_beside_hollows_are_edges_of_the_mesh(
    function: ImplicitFunction, on_knife: Callable[[Floats], Bools], ends: int
) -> None:
    mesh = triangulated(function, surface_samples(function, 2.0 * SIGMA), SIGMA)
    assert mesh.status is MeshStatus.CLOSED
    topology, knife = MeshTopology.of(mesh.triangles, len(mesh.points)), on_knife(mesh.points)
    assert not topology.non_manifold.any()
    assert mesh.euler_characteristic == 2
    assert knife.sum() > 6
    assert knife[topology.ends].all(axis=1).sum() == knife.sum() - ends


@pytest.mark.parametrize("sigma", [0.1, 0.11, 0.12])
def test_the_corners_where_a_knife_ends_are_corners_of_its_mesh(sigma: float) -> None:
    """Tetrahedra with a corner there, and one on each side of the knife, are between these as others are."""
    function = wedge(20.0)
    mesh = triangulated(function, surface_samples(function, 2.0 * sigma), sigma)
    assert mesh.status is MeshStatus.CLOSED
    assert mesh.euler_characteristic == 2
    ends = np.array([[0.0, -0.6, 0.0], [0.0, 0.6, 0.0]])
    apart = np.linalg.norm(mesh.points - ends[:, None], axis=2)
    assert apart.min(axis=1).max() < 1e-9


def finned_box(degrees: float, away: float, turn: Floats) -> ImplicitFunction:
    """A box with a lens that stands out of it, its middle some way from that of the box, both turned."""
    affine, turned = np.eye(4), np.eye(4)
    affine[:3, 3], turned[:3, :3] = [away, 0.03, 0.07], turn
    parts = [Boxes.of([0.0, 0.0, 0.0], [[0.5, 0.5, 0.5]]), Moved(lens(degrees, 0.4), affine)]
    return Moved(union(parts), turned)


@pytest.mark.parametrize(
    ("degrees", "away", "is_turned"),
    [(30.0, 0.6, False), (30.0, 0.6, True), (20.0, 0.6, False), (20.0, 0.5, False)],
)
def test_a_fin_has_a_closed_mesh_with_its_knife(degrees: float, away: float, is_turned: bool) -> None:
    """Both creases along its root come together where the knife enters the box, near edges of that."""
    turn = rotations(np.random.default_rng(5), 1)[0] if is_turned else np.eye(3)
    function = finned_box(degrees, away, turn)
    begun = time.process_time()
    mesh = triangulated(function, surface_samples(function, 0.24), 0.12)
    assert time.process_time() - begun < 12.0  # 1.5 to 3 s on a machine that does nothing else
    assert mesh.status is MeshStatus.CLOSED
    assert mesh.euler_characteristic == 2
    corners = mesh.points[mesh.triangles]
    assert not len(crossings(corners, corners, 1e-9))
    own = mesh.points @ turn - [away, 0.03, 0.07]
    knife = (np.abs(own[:, 2]) < 1e-9) & np.isclose(np.hypot(own[:, 0], own[:, 1]), 0.4, rtol=0, atol=1e-9)
    ends = MeshTopology.of(mesh.triangles, len(mesh.points)).ends
    assert knife.sum() > 10
    assert knife[ends].all(axis=1).sum() == knife.sum() - 1


def test_parts_that_meet_in_narrow_notches_have_a_closed_mesh() -> None:
    """A plate through a ball and a rod through both: wedges of the outside that end in creases."""
    turn = rotations(np.random.default_rng(5), 1)
    parts: list[ImplicitFunction] = [
        Spheres.of([[0.0, 0.0, 0.0]], [0.6]),
        Ellipsoids.of([[0.5, 0.1, 0.2]], [[0.7, 0.4, 0.12]], turn),
        Ellipsoids.of([[-0.2, 0.5, 0.1]], [[0.08, 0.6, 0.08]], turn),
    ]
    function = union(parts)
    mesh = triangulated(function, surface_samples(function, 2.0 * SIGMA), SIGMA)
    assert mesh.status.closed
    assert not MeshTopology.of(mesh.triangles, len(mesh.points)).non_manifold.any()
    assert mesh.euler_characteristic == 2
    assert mesh.distance <= 0.05 * SIGMA
    nearest = np.sort(np.stack([np.abs(part.value(mesh.points)) for part in parts]), axis=0)[1]
    assert least_angles(mesh)[nearest[mesh.triangles].min(axis=1) > 0.1 * SIGMA].min() >= 15.0


@pytest.mark.parametrize(("degrees", "gap"), [(20.0, -0.001), (40.0, -0.0005)])
def test_triangles_are_good_where_they_close_a_slit_between_bodies_that_hardly_overlap(
    degrees: float, gap: float
) -> None:
    """There they are folded before they are changed, and so are all that could take their place."""
    turn, angle = np.eye(3), np.radians(degrees)
    turn[:2, :2] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    places = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.2 + gap]]
    function = union([Ellipsoids.of(places, [[0.5, 0.1, 0.1]] * 2, [np.eye(3), turn])])
    mesh = triangulated(function, surface_samples(function, 0.24), 0.12)
    assert mesh.status is MeshStatus.CLOSED
    assert mesh.euler_characteristic == 2
    assert least_angles(mesh).min() >= 15.0
    corners = mesh.points[mesh.triangles]
    assert not len(crossings(corners, corners, 1e-9))


def test_wide_creases_are_edges_beside_narrow_notches() -> None:
    """Two balls meet at right angles, and a third one meets the second in a notch of 30 degrees."""
    places = [[0.0, 0.0, 0.0], [0.7, 0.0, 0.0], [0.7 + np.cos(np.radians(15.0)), 0.0, 0.0]]
    function = union([Spheres.of([place], [0.5]) for place in places])
    mesh = triangulated(function, surface_samples(function, 0.3), 0.15)
    assert mesh.status is MeshStatus.CLOSED
    away = np.abs(np.linalg.norm(mesh.points[:, None] - places, axis=2) - 0.5)
    assert (away[:, :2] < 1e-9).all(axis=1).sum() > 10


def test_no_point_is_added_beside_another_however_large_the_ball_about_it(rng: np.random.Generator) -> None:
    """Rounding and points on a wrong sheet make balls that are not empty, with centres at other points."""
    places = rng.normal(size=(60, 3))
    places /= np.linalg.norm(places, axis=1)[:, None]
    triangles, ball = ConvexHull(places).simplices.astype(np.intp), Spheres.of([0.0, 0.0, 0.0], 1.0)
    count = len(triangles)
    centres = places[triangles[:, 0]] + 1e-9 * rng.normal(size=(count, 3))
    sizes, off = np.full(count, 0.2), np.full(count, 0.05)
    balls = SurfaceBalls(np.arange(count), centres, np.full(count, 0.4), sizes, off, off)
    more, _ = points_of_a_round(
        ball, SurfacePoints.of(places), triangles, np.zeros(60, dtype=np.bool_), balls, 0.5, 0.01, 0.8
    )
    assert not len(more)


def test_a_ball_with_a_point_at_its_centre_keeps_no_other_from_being_added() -> None:
    """It is no Delaunay ball, and was so large that nothing was added for many rounds in what is thin."""
    ball = Spheres.of([0.0, 0.0, 0.0], 1.0)
    places = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]])
    wanted = np.full(3, 3.0**-0.5)
    centres, radii = np.array([places[0], wanted]), np.array([1.8, 0.9])
    far, sizes = np.full(2, 0.001), np.full(2, 0.2)
    balls = SurfaceBalls(np.arange(2), centres, radii, sizes, far, far)
    triangles = np.array([[0, 3, 2], [0, 1, 2]])
    more, _ = points_of_a_round(
        ball, SurfacePoints.of(places), triangles, np.zeros(4, dtype=np.bool_), balls, 0.5, 0.01, 0.8
    )
    assert more.shape == (1, 3)
    assert np.allclose(more[0], wanted, rtol=0, atol=1e-9)


def test_links_are_halved_where_triangles_reach_from_a_crease_to_just_beyond_its_zone() -> None:
    """What bends in a zone gets no nearer by more points around it, of which there were ever more."""
    ball, vertex = Spheres.of([0.0, 0.0, 0.0], 1.0), np.array([[1.0, 0.0, 0.0]])
    normals = np.array([[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]])
    crease = CreaseCurves.of(CreasePoints(vertex, normals, np.ones(1, dtype=np.bool_)), np.full(1, 0.4))
    turn, side = np.array([0.3, 0.3]), np.array([-0.05, 0.05])
    beside = np.stack([np.cos(turn) * np.cos(side), np.sin(turn) * np.cos(side), np.sin(side)], axis=1)
    points = SurfacePoints.of(beside).with_curves(crease)
    centre = np.array([[np.cos(0.28), np.sin(0.28), 0.0]])
    one, off = np.ones(1), np.full(1, 0.05)
    balls = SurfaceBalls(np.arange(1), centre, 0.06 * one, 0.2 * one, off, off)
    more, crowded = points_of_a_round(
        ball, points, np.array([[0, 1, 2]]), np.zeros(3, dtype=np.bool_), balls, 0.5, 0.01, 0.8
    )
    assert not len(more)
    assert crowded.tolist() == [0]


def test_a_low_fin_on_a_ball_is_as_near_to_the_surface_as_all_else() -> None:
    """How far triangles at its foot were from the surface was taken to be no more than their small balls."""
    fin = Ellipsoids.of([[0.0, 0.0, 0.5]], [[0.02, 0.45, 0.13]], [np.eye(3)])
    function = union([Spheres.of([0.0, 0.0, 0.0], 0.66), fin])
    mesh = triangulated(function, surface_samples(function, 0.24), 0.12)
    assert mesh.status is MeshStatus.CLOSED
    assert mesh.euler_characteristic == 2
    corners = mesh.points[mesh.triangles]
    assert not len(crossings(corners, corners, 1e-9))
    places = places_on(mesh)
    assert np.linalg.norm(places - projected(function, places, 0.1), axis=1).max() <= 0.05 * 0.12


@pytest.mark.parametrize(("gap", "added"), [(0.001, 0), (0.01, 1)])
def test_no_point_is_added_in_the_depth_of_a_slit(gap: float, added: int) -> None:
    """No points that are as far apart as allowed could tell its sides apart: triangles close it."""
    walls = union([Boxes.of([0.0, 0.0, z], [[1.0, 1.0, 0.5 - 0.5 * gap]]) for z in (-0.5, 0.5)])
    corners = np.array([[0.2, 0.0, -0.5 * gap], [-0.1, 0.2, -0.5 * gap], [-0.1, -0.2, -0.5 * gap]])
    centre, far = np.array([[0.0, 0.0, -0.5 * gap]]), np.full(1, 0.05)
    balls = SurfaceBalls(np.arange(1), centre, np.full(1, 0.2), far, far, far)
    more, _ = points_of_a_round(
        walls,
        SurfacePoints.of(corners),
        np.array([[0, 1, 2]]),
        np.zeros(3, dtype=np.bool_),
        balls,
        0.4,
        0.01,
        0.8,
    )
    assert len(more) == added
