"""Formulas: what they mean, their exact derivatives, and that no text does harm."""

import builtins
import time

import mpmath as mp
import numpy as np
import pytest

from physplace_addon.core.formulas import FormulaError, Formulas, number_of
from physplace_addon.core.formulas.parser import FUNCTIONS, OTHER_NAMES
from tests.core.formulas.random_formulas import ONE, TWO, random_formula

ORDERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
PIECES = [
    *("u", "v", "pi", "e", "R", "sin", "cos(", "atan2(", "max", "pow(", "foo", "__import__('os')", "lambda"),
    *(
        "+",
        "-",
        "*",
        "/",
        "^",
        "**",
        "(",
        ")",
        ",",
        ".",
        "1",
        "2.5",
        "1e-3",
        ".5",
        "9e99",
        "1e999",
        " ",
        "\n",
    ),
    *(
        "π",
        "²",
        "x.y",
        "u.__class__",
        "exec(",
        "[",
        "]",
        "{",
        "'",
        '"',
        "\\",
        ";",
        "\x00",
        "\ud800",
        "😀",
        "ﬁ",
    ),
]


def six(formulas, u, v):
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
def test_a_formula_means_what_a_mathematician_reads(text, value):
    assert number_of(text, {"R": 3.0}) == pytest.approx(value, rel=1e-15, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "character", "says"),
    [
        *(
            ("2*(u + w)", 8, "not known"),
            ("coss(u)", 1, "'cos'"),
            ("sin u", 5, "sin(...)"),
            ("u(1 + v)", 2, "u*("),
        ),
        *(("1/2u", 4, "two ways"), ("2^3u", 4, "two ways"), ("(u", 3, "character 1"), ("u)", 2, "no (")),
        *(("u + ", 5, "ends"), ("", 1, "empty"), ("u $ v", 3, "'$'"), ("1/(2 - 2)", 2, "division by zero")),
        *(("9^9^9^9", 4, "too large"), ("log(-1)", 1, "not defined"), ("hypot(u)", 1, "expected 2")),
        *(
            ("u, v", 2, "commas"),
            ("floor(u)", 1, "not known"),
            ("u = 3", 3, "'='"),
            ("1e999", 1, "too large"),
        ),
        ("(" * 100 + "u" + ")" * 100, 61, "levels"),
        ("-" * 100 + "u", 61, "levels"),
        ("u" * 5000, 4001, "4000"),
    ],
)
def test_an_error_points_at_the_character_and_says_what_would_be_right(text, character, says):
    with pytest.raises(FormulaError) as caught:
        Formulas.read([text], ("u", "v"))
    assert caught.value.position == character - 1
    assert says in str(caught.value)
    shown, caret = caught.value.excerpt.split("\n")
    if character <= len(text):
        assert shown[caret.index("^")] == text[character - 1]


def test_derivatives_agree_with_thirty_digits(rng):
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
            exact = [mp.diff(function, at, order) if any(order) else function(*at) for order in ORDERS]
            exact = np.array([float(x) for x in exact])
            for rows in ([0], [1, 2], [3, 4, 5]):
                near = 1e-12 * np.abs(exact[rows]).max() + 1e-14 * (1.0 + np.abs(exact).max())
                np.testing.assert_allclose(ours[rows], exact[rows], rtol=0, atol=near, err_msg=text)
            asked += 1


def read_and_evaluated(text, u, v):
    """Value and derivatives; None where there are none: divided by a zero, or beyond a function's domain."""
    try:
        found = six(Formulas.read([text], ("u", "v")), u, v)
    except FormulaError:
        return None
    return found if np.isfinite(found).all() else None


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"sign"}))
def test_each_function_has_its_derivatives(name):
    arguments, at = (
        ("(1.3 + u*v)" if name == "acosh" else "(u*v)", (0.6, 0.7)) if name in ONE else ("(u, v)", ())
    )
    text, (u, v) = name + arguments, at or (0.6, 0.7)
    shift = mp.mpf(1.3) if name == "acosh" else 0

    def function(a, b):
        return ONE[name](shift + a * b) if name in ONE else TWO[name](a, b)

    with mp.workdps(60):
        exact = [mp.diff(function, (mp.mpf(u), mp.mpf(v)), order) for order in ORDERS]
    ours = six(Formulas.read([text], ("u", "v")), u, v)
    np.testing.assert_allclose(ours, [float(x) for x in exact], rtol=1e-12, atol=1e-30)


def test_whole_powers_are_differentiable_at_zero():
    for power, expected in ((0, (1, 0, 0)), (1, (0, 1, 0)), (2, (0, 0, 2)), (3, (0, 0, 0))):
        found = six(Formulas.read([f"u^{power}"], ("u", "v")), 0.0, 0.0)
        assert tuple(found[[0, 1, 3]]) == expected
    assert six(Formulas.read(["u*u + v^2.5"], ("u", "v")), 0.0, 0.0).tolist() == [0, 0, 0, 2, 0, 0]


def test_any_number_of_variables_and_formulas_at_many_points(rng):
    formulas = Formulas.read(["x*y*z", "x^2 + cos(y)*z"], ("x", "y", "z"))
    p = rng.uniform(-1, 1, (3, 5))
    x, y, z = p
    found = formulas.jets(p)
    np.testing.assert_allclose(found.value, [x * y * z, x**2 + np.cos(y) * z], rtol=1e-14)
    np.testing.assert_allclose(found.first[0], [y * z, x * z, x * y], rtol=1e-14)
    np.testing.assert_allclose(found.second[1, 1], [0 * x, -np.cos(y) * z, -np.sin(y)], rtol=1e-14)
    np.testing.assert_array_equal(found.second, found.second.transpose(0, 2, 1, 3))


def fuzzed(rng, count):
    """Strings of pieces, of any characters, and formulas with some characters changed, by turns."""
    for number in range(count):
        kind = number % 4
        if kind == 0:
            yield "".join(rng.choice(PIECES, int(rng.integers(1, 25))))
        elif kind == 1:
            yield "".join(map(chr, rng.integers(1, 0x2FF, int(rng.integers(0, 40))).tolist()))
        else:
            text = random_formula(rng, 4)[0]
            yield text if kind == 2 else changed(text, rng)


def changed(text, rng):
    letters = list(text)
    for _ in range(int(rng.integers(1, 4))):
        place = int(rng.integers(len(letters)))
        letters[place] = "" if rng.random() < 0.4 else str(rng.choice(PIECES))
    return "".join(letters)


def test_ten_thousand_strings_neither_crash_nor_hang_nor_reach_python(rng, monkeypatch):
    texts = list(fuzzed(rng, 10_000))
    reached = []
    for name in ("eval", "exec", "compile", "open", "input"):
        monkeypatch.setattr(builtins, name, lambda *_, name=name, **__: reached.append(name))
    slowest, outside, read = 0.0, 0, []
    for text in texts:
        start = time.process_time()
        try:
            formulas = Formulas.read([text], ("u", "v"), {"R": 2.0})
        except FormulaError as error:
            outside += not 0 <= error.position <= len(text)
        else:
            read.append(formulas.jets(np.array([[0.37], [0.71]]) + SHIFTS))
        slowest = max(slowest, time.process_time() - start)
    monkeypatch.undo()
    assert not reached
    assert not outside
    assert slowest < 1.0
    assert len(read) > 2500
    assert sum(map(agrees_with_differences, read)) > 1500


STEP = 1e-4
SHIFTS = STEP * np.array([[0, 1, -1, 0, 0, 2, -2, 0, 0], [0, 0, 0, 1, -1, 0, 0, 2, -2]])


def agrees_with_differences(jets):
    """Hold derivatives at a point against central differences about it; false where these tend to nothing."""
    parts = np.array([jets.value[0], *jets.first[0], *jets.second[0].reshape(4, -1)[[0, 1, 3]]])
    ours = parts[:, 0]
    if not np.isfinite(parts).all() or np.abs(ours).max() > 1e6:
        return False
    fine, coarse = differences(parts[:3, 1:5], STEP), differences(parts[:3, 5:], 2.0 * STEP)
    expected, near = (4.0 * fine - coarse) / 3.0, 1e-6 * (1.0 + np.abs(ours).max())
    if np.abs(expected - fine).max() > near:
        return False
    np.testing.assert_allclose(ours[1:], expected, rtol=0, atol=near)
    return True


def differences(parts, step):
    """First derivatives from values, second ones from first derivatives, of parts (3, 4) around a point."""
    by_u, by_v = (parts[:, 0] - parts[:, 1]) / (2 * step), (parts[:, 2] - parts[:, 3]) / (2 * step)
    return np.array([by_u[0], by_v[0], by_u[1], by_u[2], by_v[2]])


def test_other_names_are_those_of_functions():
    assert set(OTHER_NAMES.values()) <= set(FUNCTIONS)
    assert set(FUNCTIONS) == ({*ONE, *TWO, "sign"} - set(OTHER_NAMES))
