"""A mesh within a distance that is asked for: that near the true surface, and finest where it bends most."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from physplace_addon.core.bodies.curved_meshes import limit_complex
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.bezier.complex import PatchComplex
from physplace_addon.core.surfaces.complex import GridComplex
from physplace_addon.core.surfaces.subdivision.complex import CageComplex
from tests.core.surfaces.analytic.exact_bodies import ALL
from tests.core.surfaces.bezier.patched_bodies import BODIES
from tests.core.surfaces.point_distances import distances
from tests.core.surfaces.subdivision.cages import cages

FLAT = {"u": "-1, 1", "v": "-1, 1"}
BUMP = {"x": "u", "y": "v", "z": "0.3*exp(-20*(u^2 + v^2))", **FLAT}


def limit_of(name: str) -> CageComplex:
    return limit_complex(*cages()[name])[0]


KINDS: dict[str, Callable[[], GridComplex | PatchComplex | CageComplex]] = {
    **{name: partial(ALL.__getitem__, name) for name in ("rounded box", "goblet", "hook", "cone", "needle")},
    "formula": lambda: kinds.build("formula", BUMP),
    "patches": lambda: BODIES["pot"],
    **{name: partial(limit_of, name) for name in ("open fan", "hard top")},
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_mesh_is_as_near_as_asked_with_fewer_triangles_than_a_uniform_one(
    kind: str, rng: np.random.Generator
) -> None:
    surface = KINDS[kind]()
    tolerance = 0.01 * surface.size
    mesh = surface.tessellate(tolerance=tolerance)
    fine = surface.tessellate((24, 24)).points  # points of the true surface
    apart = distances(rng.permutation(fine)[:400], mesh.points[mesh.corners]).min(axis=1)
    assert 0.1 * tolerance < apart.max() <= tolerance
    lines, uniform = 4, surface.tessellate((4, 4))
    while uniform.bound.max() > tolerance:
        lines = int(1.25 * lines) + 1
        uniform = surface.tessellate((lines, lines))
    assert len(mesh.corners) < 0.9 * len(uniform.corners)
