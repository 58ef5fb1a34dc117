"""Reading formulas: errors point at the character, and no text does harm."""

import builtins
import time
from collections.abc import Iterator

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.formulas import FormulaError, Formulas
from physplace_addon.core.formulas.formula import JetArrays
from physplace_addon.core.formulas.parser import FUNCTIONS, OTHER_NAMES
from tests.core.formulas.random_formulas import ONE, TWO, random_formula

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


@pytest.mark.parametrize(
    ("text", "character", "says"),
    [
        *(
            ("2*(u + w)", 8, "not known"),
            ("coss(u)", 1, "'cos'"),
            ("sin u", 5, "sin(...)"),
            ("u(1 + v)", 2, "u*("),
        ),
        *(("1/2u", 4, "two ways"), ("2^3u", 4, "two ways"), ("-u^2(v)", 5, "two ways")),
        *(
            ("u*v^2(u)", 6, "two ways"),
            ("2u^2(v)", 5, "two ways"),
            ("u/v^2(u)", 6, "two ways"),
            ("(u", 3, "character 1"),
            ("u)", 2, "no ("),
        ),
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
def test_an_error_points_at_the_character_and_says_what_would_be_right(
    text: str, character: int, says: str
) -> None:
    with pytest.raises(FormulaError) as caught:
        Formulas.read([text], ("u", "v"))
    assert caught.value.position == character - 1
    assert says in str(caught.value)
    shown, caret = caught.value.excerpt.split("\n")
    if character <= len(text):
        assert shown[caret.index("^")] == text[character - 1]


def fuzzed(rng: np.random.Generator, count: int) -> Iterator[str]:
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


def changed(text: str, rng: np.random.Generator) -> str:
    letters = list(text)
    for _ in range(int(rng.integers(1, 4))):
        place = int(rng.integers(len(letters)))
        letters[place] = "" if rng.random() < 0.4 else str(rng.choice(PIECES))
    return "".join(letters)


@pytest.mark.slow
def test_ten_thousand_strings_neither_crash_nor_hang_nor_reach_python(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def agrees_with_differences(jets: JetArrays) -> bool:
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


def differences(parts: Floats, step: float) -> Floats:
    """First derivatives from values, second ones from first derivatives, of parts (3, 4) around a point."""
    by_u, by_v = (parts[:, 0] - parts[:, 1]) / (2 * step), (parts[:, 2] - parts[:, 3]) / (2 * step)
    return np.array([by_u[0], by_v[0], by_u[1], by_u[2], by_v[2]])


def test_other_names_are_those_of_functions() -> None:
    assert set(OTHER_NAMES.values()) <= set(FUNCTIONS)
    assert set(FUNCTIONS) == ({*ONE, *TWO, "sign"} - set(OTHER_NAMES))
