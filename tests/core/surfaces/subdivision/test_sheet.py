"""Moves from extraordinary vertices over limit patches."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies.curved_meshes import limit_complex
from physplace_addon.core.surfaces.subdivision.cage import Cage
from physplace_addon.core.surfaces.subdivision.complex import CageComplex
from physplace_addon.core.surfaces.subdivision.sheet import LimitSheet
from tests.core.surfaces.subdivision import cages

CAGES = cages.cages()

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def body_of(points: Floats, cage: Cage) -> CageComplex:
    return limit_complex(points, cage)[0]


@pytest.mark.parametrize("name", ["cube", "five", "twelve"])
def test_a_walk_from_an_extraordinary_vertex_leads_all_around_it(name: str, rng: np.random.Generator) -> None:
    sheet = body_of(*CAGES[name]).surfaces[0]
    assert isinstance(sheet, LimitSheet)
    patch, corner = np.nonzero(sheet.extraordinary.of_corner >= 0)
    uv = sheet.layout.face_parameters(patch, np.abs(CORNERS[corner] - 1e-7))
    face, turn = np.zeros(len(uv), dtype=np.intp), rng.uniform(0, 2 * np.pi, (len(uv), 1))
    start = sheet.geometry(face, uv)
    way = 0.03 * (np.cos(turn) * start.frame[:, 0] + np.sin(turn) * start.frame[:, 1])
    end = sheet.geometry(face, sheet.move(face, uv, way))
    miss = start.point + way - end.point
    beside = miss - (miss * end.normal).sum(axis=1, keepdims=True) * end.normal
    assert np.linalg.norm(beside, axis=1).max() < 0.05 * 0.03
    np.testing.assert_array_equal(sheet.move(face, uv, 0.0 * way), uv)
