"""Meshes of what is thin: closed, near to the surface, and of triangles that are not thin themselves."""

from collections.abc import Iterator

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import Ellipsoids, Spheres, union
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.polygonize.mesh_topology import MeshTopology
from physplace_addon.core.implicit.polygonize.surface_sampling import surface_samples
from physplace_addon.core.implicit.polygonize.triangulation import (
    MeshStatus,
    Triangulation,
    triangulated,
    triangulating,
)
from physplace_addon.core.implicit.projection import projected
from physplace_addon.core.jobs import Progress
from tests.core.implicit.functions.every_function import rotations
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


def test_what_needs_too_many_points_is_refused_before_they_are_made() -> None:
    function = ellipsoid(1.0, 1.0, 0.02)
    ended: list[Triangulation] = []

    def rounds() -> Iterator[Progress]:
        ended.append((yield from triangulating(function, surface_samples(function, 2.0 * SIGMA), SIGMA)))

    assert len(list(rounds())) < 8
    assert ended[0].status is MeshStatus.TOO_THIN


def test_parts_that_meet_at_sharp_creases_have_a_closed_mesh() -> None:
    """A plate through a ball and a rod through both: wedges of the outside that end in creases."""
    turn = rotations(np.random.default_rng(5), 1)
    function = union(
        [
            Spheres.of([[0.0, 0.0, 0.0]], [0.6]),
            Ellipsoids.of([[0.5, 0.1, 0.2]], [[0.7, 0.4, 0.12]], turn),
            Ellipsoids.of([[-0.2, 0.5, 0.1]], [[0.08, 0.6, 0.08]], turn),
        ]
    )
    mesh = triangulated(function, surface_samples(function, 2.0 * SIGMA), SIGMA)
    assert mesh.status.closed
    assert not MeshTopology.of(mesh.triangles, len(mesh.points)).non_manifold.any()
    assert mesh.euler_characteristic == 2
    assert mesh.distance <= 0.05 * SIGMA
    assert (least_angles(mesh) < 15.0).mean() < 0.005  # some at the creases
