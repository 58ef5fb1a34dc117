"""Shells: cavities, matter inside matter, shells inside out."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.mesh.mass import signed_volumes
from physplace_addon.core.mesh.shells import shells
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES

CUBE = CUBE_POINTS[CUBE_TRIANGLES]
CUBE = CUBE if signed_volumes(CUBE).sum() > 0.0 else CUBE[:, ::-1]
CENTRED = CUBE - CUBE.mean(axis=(0, 1))
VOLUME = float(signed_volumes(CENTRED).sum())


def judged(*parts: Floats) -> tuple[list[bool], list[bool], float]:
    labels = np.repeat(np.arange(len(parts)), 12)
    found = shells(np.concatenate(parts), labels, np.zeros(len(labels), dtype=bool))
    return found.turned[::12].tolist(), found.filled[::12].tolist(), found.volume


@pytest.mark.parametrize("turn", [1, -1])
def test_a_hollow_cube_lacks_its_cavity(turn: int) -> None:
    turned, filled, volume = judged(CENTRED[:, ::turn], 0.5 * CENTRED[:, ::-turn])
    assert turned == [turn < 0] * 2
    assert filled == [True, True]
    assert volume == pytest.approx(VOLUME * (1.0 - 0.5**3))


def test_matter_inside_matter_adds_none() -> None:
    turned, filled, volume = judged(CENTRED, 0.5 * CENTRED)
    assert turned == [False, False]
    assert filled == [True, False]
    assert volume == pytest.approx(VOLUME)


def test_a_smaller_shell_inside_out_beside_another_is_turned() -> None:
    turned, filled, volume = judged(CENTRED, 0.5 * CENTRED[:, ::-1] + [5.0, 0.0, 0.0])
    assert turned == [False, True]
    assert filled == [True, True]
    assert volume == pytest.approx(VOLUME * (1.0 + 0.5**3))


def test_matter_in_a_cavity_counts() -> None:
    turned, filled, volume = judged(CENTRED, 0.5 * CENTRED[:, ::-1], 0.25 * CENTRED)
    assert turned == [False] * 3
    assert filled == [True] * 3
    assert volume == pytest.approx(VOLUME * (1.0 - 0.5**3 + 0.25**3))
