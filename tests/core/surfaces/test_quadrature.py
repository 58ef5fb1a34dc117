"""The mass of exact bodies: fluxes, closed forms, triangles, areas."""

import math

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.mesh.mass import AREA, VOLUME, mass_of_triangles
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.analytic import swept
from physplace_addon.core.surfaces.analytic.tube import Tube
from physplace_addon.core.surfaces.base import Patch
from physplace_addon.core.surfaces.complex import GridComplex
from physplace_addon.core.surfaces.quadrature import gauss_rule
from tests.core.surfaces.analytic.exact_bodies import CLOSED


def boundary_moments(body: GridComplex, nodes: int = 32) -> Floats:
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


def finely_broken(surface: Patch) -> list[Floats]:
    """Breaks of u and v, cut so that the surface is easily integrated between them."""
    knots = surface.path.rule_breaks if isinstance(surface, Tube) else surface.breaks[0]
    joints = [np.union1d(surface.breaks[0], knots), surface.breaks[1]]
    return [np.interp(np.arange(0, len(b) - 0.9, 0.25), np.arange(len(b)), b) for b in joints]


def analytic(names: dict[str, GridComplex]) -> list[str]:
    """Bodies whose boundary is analytic between the breaks, so that Gauss-Legendre converges."""
    return [name for name in names if name not in {"pinched", "nearly a box", "octahedron", "double cone"}]


@pytest.mark.parametrize("name", analytic(CLOSED))
def test_mass_agrees_with_the_flux_through_the_boundary(name: str) -> None:
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
        (swept.tube([(0, 0, -1), (0, 0, 1)], 0.3), math.pi * 0.09 * 2.0 + 4.0 / 3.0 * math.pi * 0.027),
    ],
)
def test_volumes_known_in_closed_form(body: GridComplex, volume: float) -> None:
    assert body.mass.volume == pytest.approx(volume, rel=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pinched", "nearly a box", "double cone"])
def test_mass_of_awkward_superquadrics_agrees_with_their_triangles(name: str) -> None:
    mesh = CLOSED[name].tessellate((241, 241))
    from_mesh = mass_of_triangles(mesh.points, mesh.corners)
    assert CLOSED[name].mass.volume == pytest.approx(from_mesh.volume, rel=5e-3)
    np.testing.assert_allclose(CLOSED[name].mass.inertia, from_mesh.inertia, atol=5e-3)


def test_an_open_surface_has_its_mass_in_its_area() -> None:
    cone_side = swept.revolution([(0.0, 1.0), (1.0, 0.0)], sharp=[True, False])
    assert cone_side.mass.basis == AREA
    assert not cone_side.closed
    assert cone_side.mass.volume == pytest.approx(math.pi * math.sqrt(2.0), rel=1e-13)
    assert cone_side.mass.center[2] == pytest.approx(1.0 / 3.0, rel=1e-12)
