"""Bodies of formulas of every kind: closed, open, with poles and tips, joined and one-sided."""

from collections.abc import Mapping
from functools import cache

from physplace_addon.core.surfaces.bezier.complex import PatchComplex
from physplace_addon.core.surfaces.bezier.sheet import BezierSheet
from physplace_addon.core.surfaces.formula.bodies import formula

TURN = "0, 2*pi, periodic"
TORUS = {
    "x": "(R + r*cos(v))*cos(u)",
    "y": "(R + r*cos(v))*sin(u)",
    "z": "r*sin(v)",
    "u": TURN,
    "v": TURN,
    "R": 1.0,
    "r": 0.3,
}
ELLIPSOID = {
    "x": "a*sin(v)*cos(u)",
    "y": "b*sin(v)*sin(u)",
    "z": "c*cos(v)",
    "u": TURN,
    "v": "0, pi",
    **{"a": 1.0, "b": 0.7, "c": 0.4},
}
EGG = {
    **{"x": "sin(u)*(1 + 0.2*cos(u))*cos(v)", "y": "0.8*sin(u)*sin(v) + 0.1*sin(u)^2", "z": "1.3*cos(u)"},
    **{"u": "0, pi", "v": TURN},
}
CAN = {
    **{"1.x": "cos(u)", "1.y": "sin(u)", "1.z": "v", "u": TURN, "1.v": "0, 2"},
    **{"2.x": "v*cos(u)", "2.y": "v*sin(u)", "2.z": 0.0, "v": "0, 1"},
    **{"3.x": "v*cos(u)", "3.y": "v*sin(u)", "3.z": 2},
}
QUARTERS = {  # of a torus, two of them facing the other way
    **{f"{i}.{x}": TORUS[x] for i in (1, 2, 3, 4) for x in ("x", "y", "z")},
    **{"R": 1.0, "r": 0.3, "1.u": "0, pi", "1.v": "0, pi", "2.u": "pi, 2*pi", "2.v": "0, pi"},
    **{"3.u": "0, pi", "3.v": "pi, 2*pi", "4.u": "pi, 2*pi", "4.v": "pi, 2*pi"},
    **{"2.x": "(R + r*cos(v))*cos(3*pi - u)", "2.y": "(R + r*cos(v))*sin(3*pi - u)"},
}
MOEBIUS = {
    **{"x": "(1 + v*cos(u/2))*cos(u)", "y": "(1 + v*cos(u/2))*sin(u)", "z": "v*sin(u/2)"},
    **{"u": "0, 2*pi", "v": "-0.3, 0.3"},
}
CONE = {"x": "v*cos(u)", "y": "v*sin(u)", "z": "v", "u": TURN, "v": "0, 1"}
WAVE = {"x": "u", "y": "v", "z": "0.2*sin(3*u)*cos(2*v)/(1 + u^2 + v^2)", "u": "-2, 2", "v": "-2, 2"}
NAMED: dict[str, Mapping[str, object]] = {
    **{"torus": TORUS, "ellipsoid": ELLIPSOID, "egg": EGG, "can": CAN, "quarters": QUARTERS},
    **{"moebius": MOEBIUS, "cone": CONE, "wave": WAVE},
}
CLOSED = ["torus", "ellipsoid", "egg", "can", "quarters"]


@cache
def body_of(name: str) -> PatchComplex:
    """The named body, made once."""
    return formula(NAMED[name])


def sheets() -> list[tuple[str, BezierSheet]]:
    """All faces, by the names of their bodies and their numbers."""
    return [(f"{name} {i}", sheet) for name in NAMED for i, sheet in enumerate(body_of(name).surfaces)]
