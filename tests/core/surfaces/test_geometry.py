"""Ranges of parameters wrap or clamp, and leave alone what is inside."""

import numpy as np

from physplace_addon.core.surfaces.geometry import Interval


def test_a_bounded_parameter_is_clamped() -> None:
    inside = Interval(-1.0, 2.0).contain(np.array([-5.0, -1.0, 0.5, 2.0, 7.0]))
    assert inside.tolist() == [-1.0, -1.0, 0.5, 2.0, 2.0]


def test_a_periodic_parameter_comes_round_and_never_reaches_its_upper_end(rng: np.random.Generator) -> None:
    turn = Interval(0.5, 0.5 + 2.0 * np.pi, periodic=True)
    angle = rng.uniform(-50.0, 50.0, 200)
    inside = turn.contain(angle)
    assert ((inside >= turn.lower) & (inside < turn.upper)).all()
    np.testing.assert_allclose(np.exp(1j * inside), np.exp(1j * angle), atol=1e-13)
    assert turn.contain(np.array([turn.upper]))[0] == turn.lower


def test_parameters_inside_keep_every_digit(rng: np.random.Generator) -> None:
    turn = Interval(-1.0, 1.0, periodic=True)
    inside = rng.uniform(-1.0, 1.0, 50)
    assert (turn.contain(np.append(inside, 3.3))[:50] == inside).all()
