"""Formulas: what they mean, and their exact derivatives."""

import mpmath as mp
import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.formulas import FormulaError, Formulas, number_of
from tests.core.formulas.random_formulas import random_formula

ORDERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))


def six(formulas: Formulas, u: float, v: float) -> Floats:
    jets = formulas.jets(np.array([[u], [v]]))
    first, second = jets.first[0, :, 0], jets.second[0, :, :, 0]
    return np.array([jets.value[0, 0], *first, second[0, 0], second[0, 1], second[1, 1]])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("-2^2", -4.0), ("2^3^2", 512.0), ("2**-1", 0.5), ("6/3/2", 1.0), ("1 - 2 - 3", -4.0)),
        *(
            ("2(1 + 2)(3)", 18.0),
            ("2 sin(0)cos(0)", 0.0),
            ("-2^-2", -0.25),
            ("2*-3", -6.0),
            ("(-8)^3", -512.0),
        ),
        *(
            (".5e1 + 1.", 6.0),
            ("2e", 2.0 * np.e),
            ("hypot(3, 4)", 5.0),
            ("max(1, 3, 2)", 3.0),
            ("ln(e)", 1.0),
        ),
        *(("cbrt(-8)", -2.0), ("sign(-3)", -1.0), ("atan2(1, 0)", np.pi / 2), ("2R", 6.0), ("τ/2", np.pi)),
    ],
)
def test_a_formula_means_what_a_mathematician_reads(text: str, value: float) -> None:
    assert number_of(text, {"R": 3.0}) == pytest.approx(value, rel=1e-15, abs=1e-15)


@pytest.mark.slow
def test_derivatives_agree_with_thirty_digits(rng: np.random.Generator) -> None:
    """To 1e-12 of the largest of the same order: each alone may cancel, all to rounding."""
    asked = 0
    with mp.workdps(60):
        while asked < 300:
            text, function = random_formula(rng, 3)
            u, v = rng.uniform(0.1, 1.5, 2)
            ours = read_and_evaluated(text, u, v)
            if ours is None:
                continue
            at = mp.mpf(float(u)), mp.mpf(float(v))
            exactly = [mp.diff(function, at, order) if any(order) else function(*at) for order in ORDERS]
            exact = np.array([float(x) for x in exactly])
            for rows in ([0], [1, 2], [3, 4, 5]):
                near = 1e-12 * np.abs(exact[rows]).max() + 1e-14 * (1.0 + np.abs(exact).max())
                np.testing.assert_allclose(ours[rows], exact[rows], rtol=0, atol=near, err_msg=text)
            asked += 1


def read_and_evaluated(text: str, u: float, v: float) -> Floats | None:
    """Value and derivatives; None where there are none: divided by a zero, or beyond a function's domain."""
    try:
        found = six(Formulas.read([text], ("u", "v")), u, v)
    except FormulaError:
        return None
    return found if np.isfinite(found).all() else None


def test_any_number_of_variables_and_formulas_at_many_points(rng: np.random.Generator) -> None:
    formulas = Formulas.read(["x*y*z", "x^2 + cos(y)*z"], ("x", "y", "z"))
    p = rng.uniform(-1, 1, (3, 5))
    x, y, z = p
    found = formulas.jets(p)
    np.testing.assert_allclose(found.value, [x * y * z, x**2 + np.cos(y) * z], rtol=1e-14)
    np.testing.assert_allclose(found.first[0], [y * z, x * z, x * y], rtol=1e-14)
    np.testing.assert_allclose(found.second[1, 1], [0 * x, -np.cos(y) * z, -np.sin(y)], rtol=1e-14)
    np.testing.assert_array_equal(found.second, found.second.transpose(0, 2, 1, 3))
