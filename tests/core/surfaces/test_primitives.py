"""The exact bodies by name: their features, their mass, and what a wrong property is told."""

import math

import numpy as np
import pytest

from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.mesh.mass import AREA, VOLUME, mass_of_triangles
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.analytic.tube import Tube
from physplace_addon.core.surfaces.analytic.tube_bodies import reference_direction
from physplace_addon.core.surfaces.quadrature import gauss_rule
from tests.core.surfaces.curves.trigonometric_paths import trefoil
from tests.core.surfaces.exact_bodies import ALL, APPLE, CLOSED, GOBLET
from tests.core.surfaces.patched_bodies import hill_nets


def boundary_moments(body, nodes=32):
    """Volume, first and second moments by the divergence theorem over the parameters, face by face."""
    total = np.zeros(13)
    for surface in body.surfaces:
        rules = [gauss_rule(breaks, nodes) for breaks in finely_broken(surface)]
        uv = np.stack(np.meshgrid(rules[0][0], rules[1][0], indexing="ij"), axis=-1).reshape(-1, 2)
        weight = np.outer(rules[0][1], rules[1][1]).ravel()
        d = surface.derivatives(np.zeros(len(uv), dtype=np.intp), uv)
        x = d.point
        flux = weight * np.einsum("ki,ki->k", x, np.cross(d.du, d.dv))
        total[0] += flux.sum() / 3.0
        total[1:4] += flux @ x / 4.0
        total[4:] += ((flux[:, None] * x).T @ x / 5.0).ravel()
    return total


def finely_broken(surface):
    """Breaks of u and v, cut so that the surface is easily integrated between them."""
    knots = surface.path.rule_breaks if isinstance(surface, Tube) else surface.breaks[0]
    joints = [np.union1d(surface.breaks[0], knots), surface.breaks[1]]
    return [np.interp(np.arange(0, len(b) - 0.9, 0.25), np.arange(len(b)), b) for b in joints]


def analytic(names):
    """Bodies whose boundary is analytic between the breaks, so that Gauss-Legendre converges."""
    return [name for name in names if name not in {"pinched", "nearly a box", "octahedron", "double cone"}]


@pytest.mark.parametrize("name", analytic(CLOSED))
def test_mass_agrees_with_the_flux_through_the_boundary(name):
    body = CLOSED[name]
    moments = boundary_moments(body)
    tolerance = 1e-4 if name == "rounded box" else 1e-12
    mass = body.mass
    assert mass.basis == VOLUME
    assert mass.volume == pytest.approx(moments[0], rel=tolerance)
    np.testing.assert_allclose(mass.center, moments[1:4] / moments[0], atol=tolerance * body.size)
    second = moments[4:].reshape(3, 3) / moments[0] - np.outer(mass.center, mass.center)
    np.testing.assert_allclose(mass.second_moment, second, atol=tolerance * body.size**2)


@pytest.mark.parametrize(
    ("body", "volume"),
    [
        (kinds.sphere(2.0), 4.0 / 3.0 * math.pi * 8.0),
        (kinds.torus(1.0, 0.3), 2.0 * math.pi**2 * 0.09),
        (kinds.cylinder(0.5, 2.0), 0.5 * math.pi),
        (kinds.cone(1.0, 2.0), 2.0 / 3.0 * math.pi),
        (kinds.superquadric(1.0, 0.7, 0.4), 4.0 / 3.0 * math.pi * 0.28),
        (kinds.superquadric(1.0, 1.0, 1.0, 2.0, 2.0), 4.0 / 3.0),
        (kinds.tube([(0, 0, -1), (0, 0, 1)], 0.3), math.pi * 0.09 * 2.0 + 4.0 / 3.0 * math.pi * 0.027),
    ],
)
def test_volumes_known_in_closed_form(body, volume):
    assert body.mass.volume == pytest.approx(volume, rel=1e-13)


@pytest.mark.parametrize("name", ["pinched", "nearly a box", "double cone"])
def test_mass_of_awkward_superquadrics_agrees_with_their_triangles(name):
    mesh = CLOSED[name].tessellate((241, 241))
    from_mesh = mass_of_triangles(mesh.points, mesh.corners)
    assert CLOSED[name].mass.volume == pytest.approx(from_mesh.volume, rel=5e-3)
    np.testing.assert_allclose(CLOSED[name].mass.inertia, from_mesh.inertia, atol=5e-3)


def test_an_open_surface_has_its_mass_in_its_area():
    cone_side = kinds.revolution([(0.0, 1.0), (1.0, 0.0)], sharp=[True, False])
    assert cone_side.mass.basis == AREA
    assert not cone_side.closed
    assert cone_side.mass.volume == pytest.approx(math.pi * math.sqrt(2.0), rel=1e-13)
    assert cone_side.mass.center[2] == pytest.approx(1.0 / 3.0, rel=1e-12)


def at_first_joint(surface):
    return surface.geometry(np.zeros(1, dtype=np.intp), np.array([[0.0, surface.breaks[1][1]]]))


@pytest.mark.parametrize("points", [APPLE, GOBLET])
def test_it_does_not_matter_which_way_a_profile_is_drawn(points):
    one, other = kinds.revolution(points), kinds.revolution(points[::-1])
    assert one.mass.volume == pytest.approx(other.mass.volume, rel=1e-14)
    g, h = (at_first_joint(body.surfaces[0]) for body in (one, other))
    np.testing.assert_allclose(g.point, h.point, atol=1e-14)
    np.testing.assert_allclose(g.normal, h.normal, atol=1e-14)


def test_a_cone_is_a_disk_a_side_a_rim_and_an_apex():
    cone = kinds.cone(1.0, 2.0)
    assert [surface.flat for surface in cone.surfaces] == [True, False]
    (rims,) = cone.curves
    assert rims.edge_count == 1
    into_disk, into_side = rims.conormals(np.zeros(1, dtype=np.intp), np.zeros(1))[0]
    np.testing.assert_allclose(into_disk, [-1.0, 0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(into_side, np.array([-1.0, 0.0, 2.0]) / math.sqrt(5.0), atol=1e-15)
    np.testing.assert_allclose(cone.vertices, [[0.0, 0.0, 1.0]])
    assert cone.vertex_directions[0].shape == (32, 3)
    np.testing.assert_allclose(cone.vertex_directions[0][:, 2], -2.0 / math.sqrt(5.0), rtol=1e-14)


def test_open_ends_are_rims_with_one_face():
    (rims,) = ALL["vase"].curves
    conormals = rims.conormals(np.arange(2), np.zeros(2))
    assert np.isnan(conormals[0, 0]).all()
    assert not np.isnan(conormals[0, 1]).any()
    assert np.isnan(conormals[1, 1]).all()


def test_a_profile_with_sharp_points_has_rims_there():
    (rims,) = ALL["goblet"].curves
    np.testing.assert_allclose(np.column_stack([rims.radius, rims.height]), [[0.6, 0.05], [0.7, 1.2]])
    assert len(ALL["goblet"].surfaces) == 3


def test_a_ring_profile_has_no_poles():
    ring = kinds.revolution([(0.5, 0), (1, 0.2), (1.4, 1.2), (0.6, 0.4)], closed=True)
    assert ring.closed
    assert not ring.curves
    assert ring.surfaces[0].domain[1].periodic


def quarter_circle(center, start, stop):
    k = 4.0 / 3.0 * (math.sqrt(2.0) - 1.0)
    a, b, c = (np.array(p, dtype=float) for p in (start, stop, center))
    corner = a + b - c
    return [a, a + k * (corner - a), b + k * (corner - b), b]


def test_nearly_smooth_bezier_joints_are_made_smooth():
    """What single precision leaves of a smooth curve stays one face, with smooth poles."""
    pieces = np.array([quarter_circle((0, 0), (0, -1), (1, 0)), quarter_circle((0, 0), (1, 0), (0, 1))])
    noisy = (pieces + np.random.default_rng(0).uniform(-1e-7, 1e-7, pieces.shape)).astype(np.float32)
    body = kinds.revolution(noisy.astype(np.float64))
    assert len(body.surfaces) == 1
    assert not body.curves
    assert len(body.vertices) == 0
    joint = body.surfaces[0].breaks[1][1]
    uv = np.array([[0.0, joint - 1e-13], [0.0, joint]])
    normal = body.surfaces[0].geometry(np.zeros(2, dtype=np.intp), uv).normal
    np.testing.assert_allclose(normal[0], normal[1], atol=1e-12)


def test_bezier_corners_become_rims():
    straight = [[(0, 0), (1 / 3, 0), (2 / 3, 0), (1, 0)], [(1, 0), (1, 0), (0, 1), (0, 1)]]
    body = kinds.revolution(straight)
    assert body.curves[0].edge_count == 1
    assert len(body.vertices) == 1
    assert body.mass.volume == pytest.approx(math.pi / 3.0, rel=1e-13)


def test_an_outline_drawn_along_the_axis_too_is_the_same_solid():
    corners = np.array([(0, 0), (1, 0), (1, 2), (0, 2), (0, 1)], dtype=float)
    outline = kinds.revolution(corners, closed=True, sharp=[True] * 5)
    assert outline.closed
    assert len(outline.surfaces) == 3
    assert outline.mass.volume == pytest.approx(2.0 * math.pi, rel=1e-13)
    sides = zip(corners, np.roll(corners, -1, axis=0), strict=True)
    pieces = np.array([np.linspace(a, b, 4) for a, b in sides])
    for start in range(5):
        turned = kinds.revolution(np.roll(pieces, start, axis=0), closed=True)
        assert len(turned.surfaces) == 3
        assert turned.mass.volume == pytest.approx(2.0 * math.pi, rel=1e-13)


def test_the_reference_direction_of_a_tube_keeps_clear_of_its_tangents(rng):
    path = rng.normal(size=(60, 3))
    tangents = path / np.linalg.norm(path, axis=1)[:, None]
    assert np.abs(tangents @ reference_direction(tangents)).max() < 0.999


def test_bezier_paths_and_splines_make_tubes():
    pieces = [[(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)], [(3, 0, 0), (4, 0, 0), (5, 1, 0), (5, 2, 0)]]
    tube = kinds.tube(pieces, 0.2)
    assert tube.closed
    ring = kinds.tube([(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)], 0.1, closed=True)
    assert ring.surfaces[0].domain[0].periodic


CUBE = {"size_x": 1.0, "size_y": 1.0, "size_z": 1.0}
CORNERED = [[(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)], [(3, 0, 0), (3, 1, 0), (3, 2, 0), (3, 3, 0)]]
WRONG = [
    ("spere", {"radius": 1.0}, "surface"),
    ("sphere", {}, "radius"),
    ("sphere", {"radius": -1.0}, "radius"),
    ("sphere", {"radius": 0.0}, "radius"),
    ("sphere", {"radius": float("nan")}, "radius"),
    ("sphere", {"radius": "one"}, "radius"),
    ("sphere", {"radius": True}, "radius"),
    ("sphere", {"radius": 1.0, "height": 2.0}, "height"),
    ("plane", {"size_x": 1.0, "size_y": float("inf")}, "size_y"),
    ("torus", {"major_radius": 1.0, "minor_radius": 1.0}, "minor_radius"),
    ("cylinder", {"radius": 1.0}, "height"),
    ("superquadric", {**CUBE, "exponent_1": 2.1, "exponent_2": 1.0}, "exponent_1"),
    ("superquadric", {**CUBE, "exponent_1": 1.0, "exponent_2": 0.05}, "exponent_2"),
    ("revolution", {"profile": [(0.0, 0.0)]}, "profile"),
    ("revolution", {"profile": [(0.0, 0.0), (float("nan"), 1.0)]}, "profile"),
    ("revolution", {"profile": [(0.0, 0.0), (-1.0, 1.0), (0.0, 2.0)]}, "profile"),
    ("revolution", {"profile": [(0.0, 0.0), (1.0, 1.0), (1.0, 1.0), (0.0, 2.0)]}, "profile"),
    ("revolution", {"profile": [(0, 0), (1, 1), (0, 2), (1, 3), (0, 4)]}, "profile"),
    ("revolution", {"profile": [(0.0, 0.0), (0.0, 1.0)], "sharp": [True, True]}, "profile"),
    ("revolution", {"profile": [(0, 0), (1, 1), (0, 2)], "sharp": [True]}, "sharp"),
    ("tube", {"path": trefoil(), "radius": 2.0}, "radius"),
    ("tube", {"path": CORNERED, "radius": 0.1}, "path"),
    ("tube", {"path": [(0, 0, 0), (0, 0, 0)], "radius": 0.1}, "path"),
    ("tube", {"path": [(0, 0), (1, 0)], "radius": 0.1}, "path"),
]


@pytest.mark.parametrize(("kind", "parameters", "subject"), WRONG)
def test_a_wrong_property_is_named(kind, parameters, subject):
    with pytest.raises(SurfaceError) as caught:
        kinds.build(kind, parameters)
    assert caught.value.kind == kind
    assert caught.value.subject == subject
    assert kind in str(caught.value)
    assert subject in str(caught.value)


def test_every_kind_can_be_built_by_name():
    parameters = {
        "plane": {"size_x": 1, "size_y": 2},
        "sphere": {"radius": 1},
        "torus": {"major_radius": 2, "minor_radius": 1},
        "cylinder": {"radius": 1, "height": 1},
        "cone": {"radius": 1, "height": 1},
        "superquadric": {"size_x": 1, "size_y": 1, "size_z": 1, "exponent_1": 0.5, "exponent_2": 1.5},
        "revolution": {"profile": APPLE, "closed": False},
        "tube": {"path": [(0, 0, 0), (1, 0, 0)], "radius": 0.2},
        "bezier": {"control": hill_nets()},
    }
    assert parameters.keys() == kinds.KINDS.keys()
    for kind, given in parameters.items():
        assert kinds.build(kind, given).kind == kind
