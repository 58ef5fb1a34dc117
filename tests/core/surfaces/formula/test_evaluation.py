"""Formulas over unit squares: derivatives by the square's parameters, whichever way it runs."""

import numpy as np
import pytest

from physplace_addon.core.formulas import Formulas
from physplace_addon.core.surfaces.formula.evaluation import FormulaSquares

SOURCE = Formulas.read(["u*cos(v)", "u^2*sin(v) + v", "exp(u)/(1 + v^2)"], ("u", "v"))


def square(low: tuple[float, float], high: tuple[float, float], swapped: bool) -> FormulaSquares:
    return FormulaSquares((SOURCE,), np.array([0]), np.array([low]), np.array([high]), np.array([swapped]))


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(("low", "high"), [((0.1, 0.2), (1.3, 0.9)), ((1.3, 0.2), (0.1, 0.9))])
def test_derivatives_agree_with_differences(
    low: tuple[float, float], high: tuple[float, float], swapped: bool, rng: np.random.Generator
) -> None:
    one, h = square(low, high, swapped), 1e-5
    at, patch = rng.uniform(0.1, 0.9, (20, 2)), np.zeros(20, dtype=np.intp)
    jets = one.jets(patch, at)
    for i in range(2):
        step = h * np.eye(2)[i]
        ahead, behind = one.jets(patch, at + step), one.jets(patch, at - step)
        np.testing.assert_allclose(jets.first[:, i], (ahead.point - behind.point) / (2 * h), atol=1e-8)
        np.testing.assert_allclose(jets.second[:, i], (ahead.first - behind.first) / (2 * h), atol=1e-7)


def test_the_ends_of_the_square_are_the_ends_of_the_ranges_exactly() -> None:
    one = square((0.1, 0.7), (1.3, 0.2), True)
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    uv = one.parameters(np.zeros(4, dtype=np.intp), corners)
    assert uv.tolist() == [[0.1, 0.7], [0.1, 0.2], [1.3, 0.7], [1.3, 0.2]]


@pytest.mark.parametrize("swapped", [False, True])
def test_ranges_hold_what_lies_in_their_boxes(swapped: bool, rng: np.random.Generator) -> None:
    one = square((1.3, 0.2), (0.1, 0.9), swapped)
    lower = rng.uniform(0.0, 0.8, (10, 2))
    upper = lower + 0.1
    at = lower + rng.uniform(0.0, 0.1, (10, 2))
    jets = one.jets(np.zeros(10, dtype=np.intp), at)
    parts = [
        jets.point,
        jets.first[:, 0],
        jets.first[:, 1],
        *(jets.second[:, i, j] for i, j in ((0, 0), (0, 1), (1, 1))),
    ]
    for x, six in enumerate(one.ranges(0, lower, upper)):
        for exact, own in zip(parts, six, strict=True):
            if own is None:
                assert (exact[:, x] == 0.0).all()
            else:
                assert ((exact[:, x] >= own.lower - 1e-12) & (exact[:, x] <= own.upper + 1e-12)).all()
