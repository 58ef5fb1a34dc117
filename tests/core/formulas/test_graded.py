"""Formulas as polynomials in one variable with ranges as coefficients."""

import numpy as np
import pytest

from physplace_addon.core.formulas import Formulas, Range, graded
from physplace_addon.core.formulas.jets import Jet


def parts(jet: Jet) -> list[Range | None]:
    return [jet.value, *jet.first, *jet.second]


def test_a_formula_along_a_bent_way_is_a_polynomial_in_how_far(rng: np.random.Generator) -> None:
    text = "-(u - 2*v)^5/(1 + k^2) + cos(k)*u*v - min(k, 2)*v^3*(u - atan2(k, 1)) + hypot(k, 1)^1.5"
    formulas, weights, k = Formulas.read([text], ("u", "v", "k")), (1, 2), 0.7
    low = rng.uniform(-1.0, 1.0, (2, 40))
    high = low + rng.uniform(0.0, 0.2, (2, 40))
    ways = [graded(Range(a, b), weight) for a, b, weight in zip(low, high, weights, strict=True)]
    parts = formulas.graded([*ways, graded(Range(np.array(k), np.array(k)))])[0].parts
    assert len(parts) == 11  # t^0 to t^10
    for t in (0.3, 1.0, 2.5):
        way = low + rng.random((2, 40)) * (high - low)
        value = formulas.values(np.array([t * way[0], t**2 * way[1], np.full(40, k)]))[0]
        known = [(t**power, part) for power, part in enumerate(parts) if part is not None]
        assert (sum(scale * part.lower for scale, part in known) <= value).all()
        assert (sum(scale * part.upper for scale, part in known) >= value).all()


@pytest.mark.parametrize("text", ["sin(u)", "1/u", "u^0.5", "abs(u) + u^2", "max(u, 1)", "u^80", "2^u"])
def test_of_what_is_no_polynomial_nothing_is_known(text: str) -> None:
    found = Formulas.read([text], ("u",)).graded([graded(Range(np.ones(1), np.ones(1)), 1)])[0]
    assert found.parts[0] is not None
    assert np.isnan(found.parts[0].lower).all()
