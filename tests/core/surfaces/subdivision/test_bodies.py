"""Bodies that are Catmull-Clark limits: their mass, their orientation, and what is refused."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies.curved_meshes import limit_complex
from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.mesh.mass import mass_of_triangles
from physplace_addon.core.surfaces.subdivision.bodies import mass_of, quadrilateral_cage
from physplace_addon.core.surfaces.subdivision.cage import Cage
from physplace_addon.core.surfaces.subdivision.complex import CageComplex
from physplace_addon.core.surfaces.subdivision.limit import limit_of
from tests.core.surfaces.subdivision import cages

CAGES = cages.cages()

CLOSED = ["cube", "hard top", "soft top", "dart", "corner of creases", "five"]


def body_of(points: Floats, cage: Cage) -> CageComplex:
    return limit_complex(points, cage)[0]


@pytest.mark.parametrize("name", CLOSED)
def test_the_mass_of_a_solid_is_that_of_its_triangles_made_small(name: str) -> None:
    body = body_of(*CAGES[name])
    volumes = []
    for lines in (9, 17):
        mesh = body.tessellate(resolution=(lines, lines))
        volumes.append(mass_of_triangles(mesh.points, mesh.corners).volume)
    assert body.closed
    np.testing.assert_allclose(body.mass.volume, volumes[1] + (volumes[1] - volumes[0]) / 3.0, rtol=3e-4)


def test_about_a_corner_of_many_faces_the_limit_is_the_same_and_takes_few_triangles() -> None:
    """An end of 16 corners is refined; without that it takes 130,000, all as small as the least of them."""
    points, cage = cages.prism(16)
    body, (quads, at) = body_of(points, cage), quadrilateral_cage(points, cage, sharp_corners=False)
    assert len(body.nets) > len(quads.sizes)
    assert len(body.tessellate().corners) < 60_000
    whole = mass_of(limit_of(quads, at), closed=True)
    np.testing.assert_allclose(body.mass.inertia, whole.inertia, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(body.mass.volume, whole.volume, rtol=1e-8)


def test_a_cage_is_not_refined_where_that_leaves_no_fewer_cells() -> None:
    """Sixteen triangles about the middle of a disk need the same with or without it."""
    turn = 2.0 * np.pi * np.arange(16) / 16
    disk = [(float(np.cos(t)), float(np.sin(t)), 0.0) for t in turn]
    points, cage = cages.cage_of([*disk, (0.0, 0.0, 0.0)], [(i, (i + 1) % 16, 16) for i in range(16)])
    quads = quadrilateral_cage(points, cage, sharp_corners=False)[0]
    assert np.bincount(quads.corners).max() == 16
    assert len(body_of(points, cage).nets) == len(quads.sizes)


def test_a_cube_turned_inside_out_is_the_same_solid() -> None:
    points, cage = cages.cube()
    inside_out = cages.cage_of(cages.CUBE, [face[::-1] for face in cages.CUBE_FACES])
    (one, turned), (other, turned_too) = limit_complex(points, cage), limit_complex(*inside_out)
    assert turned != turned_too
    np.testing.assert_allclose(one.mass.volume, other.mass.volume, rtol=1e-12)
    for body in (one, other):
        sheet = body.surfaces[0]
        found = sheet.geometry(np.zeros(1, int), sheet.layout.origins[:1] + 0.5)
        assert (found.point * found.normal).sum() > 0.0


def test_a_cage_without_faces_or_size_is_refused_by_name() -> None:
    with pytest.raises(SurfaceError, match="no faces"):
        body_of(np.zeros((0, 3)), cages.cage_of(np.zeros((0, 3)), [])[1])
    with pytest.raises(SurfaceError, match="no size"):
        body_of(*cages.cage_of(np.zeros((4, 3)), [(0, 1, 2, 3)]))
