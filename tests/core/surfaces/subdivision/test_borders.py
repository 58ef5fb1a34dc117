"""Creases and borders of limit surfaces are edges, and where they end are vertices."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Bools, Floats
from physplace_addon.core.bodies.curved_meshes import limit_complex
from physplace_addon.core.surfaces.subdivision.cage import Cage
from physplace_addon.core.surfaces.subdivision.complex import CageComplex
from tests.core.surfaces.subdivision import cages

CAGES = cages.cages()


def body_of(points: Floats, cage: Cage) -> CageComplex:
    return limit_complex(points, cage)[0]


def test_creases_are_edges_and_where_they_end_or_meet_there_are_vertices() -> None:
    def parts(name: str) -> tuple[int, int, int]:
        body = body_of(*CAGES[name])
        return len(body.surfaces), len(body.curves), len(body.vertices)

    assert parts("cube") == (1, 0, 0)
    assert parts("hard top") == (2, 1, 0)
    assert parts("soft top") == (1, 0, 0)
    assert parts("dart") == (1, 1, 2)
    assert parts("corner of creases") == (1, 3, 4)
    assert parts("three on an edge") == (3, 6, 2)


@pytest.mark.parametrize("name", ["hard top", "dart", "mixed", "open fan", "crossing creases"])
def test_edges_lie_on_the_faces_beside_them(name: str, rng: np.random.Generator) -> None:
    body = body_of(*CAGES[name])
    for chain in body.curves:
        t = rng.uniform(0.001 * chain.domain.upper, 0.999 * chain.domain.upper, 20)
        found = chain.geometry(np.zeros(20, int), t)
        piece, share = chain._place(t)
        for sides in (chain.first, chain.second):
            rows = np.flatnonzero(sides.patch[piece] >= 0)
            on = body.nets.slopes(sides.patch[piece[rows]], sides.at(piece[rows], share[rows])).point
            np.testing.assert_allclose(on, found.point[rows], rtol=0, atol=1e-11)
        inward = chain.conormals(np.zeros(20, int), t)
        known: Bools = np.asarray(np.isfinite(inward).all(axis=2))
        np.testing.assert_allclose(np.einsum("kix,kx->ki", inward, found.tangent)[known], 0.0, atol=1e-9)
        assert known[:, 0].all()
