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


TOUCHING = [(0.0, 0.0, -0.25), (0.25, 0.0, 0.25), (0.25, 0.25, 0.25)]
"""Where half a cube touches a whole one from inside: at a face, at two, at three."""


@pytest.mark.parametrize("place", TOUCHING)
@pytest.mark.parametrize("turn", [1, -1])
def test_a_cavity_may_touch_the_wall_from_inside(place: tuple[float, float, float], turn: int) -> None:
    turned, filled, volume = judged(CENTRED[:, ::turn], 0.5 * CENTRED[:, ::-turn] + place)
    assert turned == [turn < 0] * 2
    assert filled == [True, True]
    assert volume == pytest.approx(VOLUME * (1.0 - 0.5**3))


@pytest.mark.parametrize("place", TOUCHING)
def test_matter_inside_matter_may_touch_the_wall_from_inside(place: tuple[float, float, float]) -> None:
    turned, filled, volume = judged(CENTRED, 0.5 * CENTRED + place)
    assert (turned, filled) == ([False, False], [True, False])
    assert volume == pytest.approx(VOLUME)


@pytest.mark.parametrize("place", TOUCHING)
def test_a_shell_in_a_dent_of_another_is_beside_it(place: tuple[float, float, float]) -> None:
    """A cube with a dent is a cube and a cavity that touches its wall; what fills the dent is matter."""
    block, dent = CENTRED, 0.5 * CENTRED[:, ::-1] + place
    plug = 0.25 * CENTRED + 1.2 * np.array(place)
    assert judged(block, dent, plug)[2] == pytest.approx(VOLUME * (1.0 - 0.5**3 + 0.25**3))


@pytest.mark.parametrize("turn", [0.3, 0.25 * np.pi, 1.0])
def test_a_shell_that_goes_through_another_is_beside_it(turn: float) -> None:
    """Its box may lie within the other's, and most of it inside of the other."""
    cos, sin = np.cos(turn), np.sin(turn)
    through = CENTRED @ np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
    turned, filled, volume = judged(through, 0.99 * CENTRED)
    assert (turned, filled) == ([False, False], [True, True])
    assert volume == pytest.approx(VOLUME * (1.0 + 0.99**3))


@pytest.mark.parametrize("seed", range(3))
def test_cavities_that_hang_on_the_wall_by_a_corner_are_cavities(seed: int) -> None:
    """At any place of an octahedron's wall: the corner lies on the wall, so that it cannot tell."""
    rng = np.random.default_rng(seed)
    tops, ring = (
        np.array([[0.0, 0, 1], [0, 0, -1]]),
        np.array([[1.0, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]]),
    )
    octahedron = np.array(
        [[ring[i], ring[(i + 1) % 4], tops[0]] for i in range(4)]
        + [[ring[(i + 1) % 4], ring[i], tops[1]] for i in range(4)]
    )
    hook = rng.dirichlet([1.0, 1.0, 1.0]) @ octahedron[rng.integers(8)]
    base = 0.9 * hook + 0.03 * np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]]) * np.sign(-hook)
    a, b, c = base
    cavity = np.array([[hook, a, b], [hook, b, c], [hook, c, a], [a, c, b]])
    cavity = cavity[:, ::-1] if signed_volumes(cavity).sum() > 0.0 else cavity
    labels = np.repeat([0, 1], [8, 4])
    found = shells(np.concatenate([octahedron, cavity]), labels, np.zeros(12, dtype=bool))
    assert found.volume == pytest.approx(4.0 / 3.0 + signed_volumes(cavity).sum())
