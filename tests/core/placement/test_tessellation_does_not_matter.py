"""A knot rests on the same three exact points whatever triangles stand in for it (paper, section 6)."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from physplace_addon.core.bodies import Body
from tests.bodies_of_the_paper import Paired, knot
from tests.core.placement.drops import ENDS, Run, drop, paired_of
from tests.oracles.frames import rotation_of

MESHES = {(121, 41): 9600, (81, 61): 9600, (41, 21): 1600, (31, 11): 600, (21, 7): 240, (15, 5): 112}
START = rotation_of([0.9, 0.2, 0.1, 0.3])


def knot_with_mesh(lines: tuple[int, int]) -> Body:
    return knot(resolution=lines).body


@pytest.fixture(scope="module")
def runs() -> dict[tuple[int, int], Run]:
    shape = paired_of("knot").shape
    return {
        lines: drop(Paired("knot", partial(knot_with_mesh, lines), lambda: shape), START) for lines in MESHES
    }


def test_the_meshes_are_the_papers() -> None:
    assert {lines: len(knot_with_mesh(lines).triangles) for lines in MESHES} == MESHES


@pytest.mark.slow
def test_every_mesh_gives_the_same_true_height(runs: dict[tuple[int, int], Run]) -> None:
    for lines, run in runs.items():
        assert run.certificate.status in ENDS, lines
        assert abs(run.height - run.rest().height) <= 1e-9 * run.radius, lines
    heights = [run.height for run in runs.values()]
    assert np.ptp(heights) <= 1e-9 * min(run.radius for run in runs.values())


def test_every_mesh_gives_the_same_three_contacts(runs: dict[tuple[int, int], Run]) -> None:
    found = []
    for run in runs.values():
        contacts = run.certificate.contacts
        world = contacts.position[contacts.force > 1e-6]
        body = (world - run.positions[-1]) @ run.rotations[-1]
        assert len(body) == 3
        found.append(body[np.lexsort(np.round(body.T, 4))])
    for body in found[1:]:
        assert np.allclose(body, found[0], atol=1e-6)


def test_no_mesh_lets_the_exact_knot_through(runs: dict[tuple[int, int], Run]) -> None:
    for lines, run in runs.items():
        assert run.clearances().min() >= -1e-9 * run.radius, lines
