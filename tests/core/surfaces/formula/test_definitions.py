"""What is typed for a surface of formulas is read, or refused with its name and the reason."""

import pytest

from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.surfaces.formula.bodies import formula

SHEET = {"x": "u", "y": "v", "z": "0", "u": "-1, 1", "v": "-1, 1"}


@pytest.mark.parametrize(
    ("change", "subject", "says"),
    [
        *(({"z": "u + w"}, "z", "character 5"), ({"z": "u +"}, "z", "    u +\n       ^")),
        *(
            ({"u": "0, 2*q"}, "u", "character 6"),
            ({"u": "1, 0"}, "u", "1 to 0"),
            ({"u": "3"}, "u", "lower, upper"),
        ),
        *(({"u": "-1, 1, periodic"}, "u", "2 apart"), ({"k": "two"}, "k", "finite number")),
        *(
            ({"sin": 2.0}, "sin", "another name"),
            ({"a b": 2.0}, "a b", "letters"),
            ({"0.x": "u"}, "0.x", "from 1"),
        ),
        *(
            ({"2.q": "u"}, "2.q", "as in 1.x"),
            ({"z": None}, "z", "expected text"),
            ({"z": "1/u"}, "z", "divisor"),
        ),
        *(
            ({"z": "sqrt(u)"}, "z", "character 1"),
            ({"z": "abs(u - v)"}, "z", "kink"),
            ({"z": "log(u)"}, "z", "log"),
        ),
        *(
            ({"x": "u^2", "z": "u^3"}, "x, y, z", "no tangent plane can be shown near u = "),
            ({"x": "v"}, "x, y, z", "tangent"),
        ),
        *(
            ({"x": "1", "y": "2"}, "x", "all points"),
            ({"y": "0", "z": "v*u", "v": "0, 1"}, "x, y, z", "tangent"),
        ),
        *(({"x": "u*cos(v)", "y": "u*sin(v)"}, "x, y, z", "u = "), ({"x": "exp(exp(9 + u))"}, "x", "not")),
        *(
            ({"u": "1e12, 1e12 + 1"}, "u", "begin it at 0"),
            ({"z": "1e-30*v", "y": "u"}, "x, y, z", "tangent"),
        ),
        ({f"{i}.x": "u" for i in range(1, 70)}, "69.x", "64 at most"),
        ({"z": "+".join(f"sin({i}*u)" for i in range(200))}, "x", "400 at most"),
        (
            {"x": "(2 + sin(800*u*v))*cos(u)", "y": "(2 + sin(800*u*v))*sin(u)", "z": "v"},
            *("x, y, z", "waves too fine"),
        ),
    ],
)
def test_what_is_no_surface_is_refused_with_the_property_and_the_reason(
    change: dict[str, float | str | None], subject: str, says: str
) -> None:
    with pytest.raises(SurfaceError) as caught:
        formula({**SHEET, **change})
    assert caught.value.subject == subject
    assert says in str(caught.value)


@pytest.mark.parametrize("missing", ["x", "z", "u"])
def test_a_missing_part_is_named(missing: str) -> None:
    with pytest.raises(SurfaceError, match=f'"formula": {missing}: is missing'):
        formula({key: value for key, value in SHEET.items() if key != missing})


def test_neighbouring_sides_of_one_point_are_refused() -> None:
    with pytest.raises(SurfaceError, match="neighbouring sides"):
        formula({**SHEET, "x": "u*v", "y": "u*v^2", "z": "u^2*v", "u": "0, 1", "v": "0, 1"})
