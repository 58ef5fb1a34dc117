"""Ranges hold whatever a formula does over a box, and do not hold what it does not."""

import numpy as np
import pytest

from physplace_addon.core.formulas import FormulaError, Formulas
from physplace_addon.core.formulas.jets import Jet
from physplace_addon.core.formulas.ranges import Range
from tests.core.formulas.random_formulas import random_formula


def parts(jet: Jet) -> list[Range | None]:
    return [jet.value, *jet.first, *jet.second]


@pytest.mark.slow
def test_values_and_derivatives_at_points_are_within_the_ranges_of_their_box(
    rng: np.random.Generator,
) -> None:
    bounded = 0
    for _ in range(700):
        text = random_formula(rng, 3)[0]
        try:
            formulas = Formulas.read([text], ("u", "v"))
        except FormulaError:
            continue
        lower = rng.uniform(-3, 3, (2, 4))
        upper = lower + 10.0 ** rng.uniform(-6, 0.5, (2, 4))
        ranges = parts(formulas.ranges(lower, upper)[0])
        share = rng.random((2, 16, 4))
        share[:, :2] = np.array([[[0.0], [1.0]], [[1.0], [0.0]]])
        found = formulas.jets(lower[:, None] + share * (upper - lower)[:, None])
        numbers = [
            found.value[0],
            *found.first[0],
            *(found.second[0][i, j] for i, j in ((0, 0), (0, 1), (1, 1))),
        ]
        for exact, bound in zip(numbers, ranges, strict=True):
            if bound is None:
                assert (exact == 0.0).all()
                continue
            low, high = (np.broadcast_to(end, 4) for end in (bound.lower, bound.upper))
            assert ranges[0] is not None
            known = np.isfinite(low) & np.isfinite(high) & np.isfinite(ranges[0].lower)
            slack = 1e-9 * (np.abs(exact) + np.abs(numbers[0]) + 1e-3)  # of the points' own rounding
            assert ((exact >= low - slack) & (exact <= high + slack))[:, known].all(), text
            bounded += int(known.sum())
    assert bounded > 6_000


@pytest.mark.parametrize(
    "text",
    [
        *(
            "log(u)",
            "sqrt(u)",
            "1/u",
            "1/sin(u)",
            "atan(log(u))",
            "tanh(1/u)",
            "exp(-1/u^2)",
            "u^0.5",
            "u^-1",
        ),
        *(
            "abs(u)",
            "sign(u)",
            "max(u, 0)",
            "min(u, v, 0)",
            "cbrt(u)",
            "asin(1.1 + u)",
            "atan2(u, -1)",
            "u^v",
        ),
        *("tan(1.5 + u)", "hypot(u, v)", "acosh(u + 1)", "0*log(u)", "u^1.5", "atanh(1 + u)", "sin(1/u)"),
    ],
)
def test_nothing_is_claimed_where_a_formula_is_undefined_or_has_a_kink(text: str) -> None:
    jet = Formulas.read([text], ("u", "v")).ranges(np.full((2, 1), -0.1), np.full((2, 1), 0.1))[0]
    ends = [end for part in parts(jet) if part is not None for end in (part.lower, part.upper)]
    assert not all(np.isfinite(end).all() for end in ends)


def test_what_cannot_be_proven_is_named_with_its_place_and_box() -> None:
    formulas = Formulas.read(["u + v*sqrt(u - 1) + 1/v"], ("u", "v"))
    lower = np.array([[2.0, 2.5, 0.5], [1.0, 2.0, 1.0]])
    unproven = formulas.unproven_in(lower, lower + 1.0)
    assert unproven is not None
    operation, place, box = unproven
    assert (operation, place.position, box) == ("sqrt", 6, 2)
    assert formulas.unproven_in(lower[:, :2], lower[:, :2] + 1.0) is None


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "cosh", "abs"])
def test_waves_and_hollows_are_bounded_by_their_crests(name: str, rng: np.random.Generator) -> None:
    """Against many points of each interval: nothing is outside, and hardly anything is given away."""
    lower = rng.uniform(-12, 12, 400)
    width = 10.0 ** rng.uniform(-3, 1, 400)
    found = Formulas.read([f"{name}(u)"], ("u",)).ranges(lower[None], (lower + width)[None], 0)[0].value
    at = lower + np.linspace(0, 1, 2001)[:, None] * width
    values = getattr(np, name)(at)
    known = np.isfinite(found.lower)
    assert known.sum() > 150
    assert (values >= found.lower - 1e-12 * np.abs(values))[:, known].all()
    assert (values <= found.upper + 1e-12 * np.abs(values))[:, known].all()
    near = 1e-2 * (np.ptp(values, axis=0) + 1e-9)
    assert (found.lower >= values.min(axis=0) - near)[known].all()
    assert (found.upper <= values.max(axis=0) + near)[known].all()


def test_ranges_shrink_with_their_boxes() -> None:
    formulas = Formulas.read(["(1 + 0.3*cos(v))*cos(u) / (2 + sin(u*v))"], ("u", "v"))
    widths: list[float] = []
    for width in (1e-2, 1e-4, 1e-6):
        jet = formulas.ranges(np.full((2, 1), 0.8), np.full((2, 1), 0.8 + width))[0]
        known = [part for part in parts(jet) if part is not None]
        assert len(known) == len(parts(jet))
        widths.append(float(max(part.upper[0] - part.lower[0] for part in known)))
    assert widths[1] < 0.02 * widths[0]
    assert widths[2] < 0.02 * widths[1]


def test_a_square_is_not_negative() -> None:
    for text in ("u*u", "u^2", "(u + v)^2", "u^4", "abs(u)"):
        assert (
            Formulas.read([text], ("u", "v")).ranges(np.full((2, 1), -1.0), np.ones((2, 1)))[0].value.lower
            >= 0
        )
