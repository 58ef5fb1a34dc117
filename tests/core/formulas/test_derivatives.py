"""Each function of formulas has its derivatives."""

import mpmath as mp
import numpy as np
import pytest
from mpmath import mpf

from physplace_addon.core.arrays import Floats
from physplace_addon.core.formulas import Formulas
from physplace_addon.core.formulas.parser import FUNCTIONS
from tests.core.formulas.random_formulas import ONE, TWO

ORDERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))


def six(formulas: Formulas, u: float, v: float) -> Floats:
    jets = formulas.jets(np.array([[u], [v]]))
    first, second = jets.first[0, :, 0], jets.second[0, :, :, 0]
    return np.array([jets.value[0, 0], *first, second[0, 0], second[0, 1], second[1, 1]])


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"sign"}))
def test_each_function_has_its_derivatives(name: str) -> None:
    arguments, at = (
        ("(1.3 + u*v)" if name == "acosh" else "(u*v)", (0.6, 0.7)) if name in ONE else ("(u, v)", ())
    )
    text, (u, v) = name + arguments, at or (0.6, 0.7)
    shift = mp.mpf(1.3) if name == "acosh" else 0

    def function(a: mpf, b: mpf) -> mpf:
        return ONE[name](shift + a * b) if name in ONE else TWO[name](a, b)

    with mp.workdps(60):
        exact = [mp.diff(function, (mp.mpf(u), mp.mpf(v)), order) for order in ORDERS]
    ours = six(Formulas.read([text], ("u", "v")), u, v)
    np.testing.assert_allclose(ours, [float(x) for x in exact], rtol=1e-12, atol=1e-30)


def test_whole_powers_are_differentiable_at_zero() -> None:
    for power, expected in ((0, (1, 0, 0)), (1, (0, 1, 0)), (2, (0, 0, 2)), (3, (0, 0, 0))):
        found = six(Formulas.read([f"u^{power}"], ("u", "v")), 0.0, 0.0)
        assert tuple(found[[0, 1, 3]]) == expected
    assert six(Formulas.read(["u*u + v^2.5"], ("u", "v")), 0.0, 0.0).tolist() == [0, 0, 0, 2, 0, 0]
