"""Derivatives against 40-digit differences of formulas written down a second time, in mpmath."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
from mpmath import matrix, mpf

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces.analytic.revolution import Revolution
from physplace_addon.core.surfaces.curves.piecewise import PiecewiseBezier
from physplace_addon.core.surfaces.curves.profiles import BezierProfile
from tests.core.surfaces.analytic.exact_bodies import ALL

POINTS = 4


def turned(profile: Callable[[mpf], Sequence[mpf]]) -> Callable[[mpf, mpf], list[mpf]]:
    """A surface of revolution from a profile v -> (r, z)."""

    def surface(u: mpf, v: mpf) -> list[mpf]:
        r, z = profile(v)
        return [r * mp.cos(u), r * mp.sin(u), z]

    return surface


def cubic_profile(curve: PiecewiseBezier) -> Callable[[mpf], list[mpf]]:
    """The Bezier pieces of a profile, by de Casteljau."""

    def profile(v: mpf) -> list[mpf]:
        piece = min(int(np.searchsorted(curve.knots, float(v), side="right")) - 1, len(curve.control) - 1)
        low, high = mp.mpf(curve.knots[piece]), mp.mpf(curve.knots[piece + 1])
        t = (v - low) / (high - low)
        level = [[mp.mpf(x) for x in point] for point in curve.control[piece].tolist()]
        while len(level) > 1:
            level = [[x + t * (y - x) for x, y in zip(a, b, strict=True)] for a, b in pairwise(level)]
        return level[0]

    return profile


def superquadric(axes: tuple[float, float, float], e1: float, e2: float) -> Callable[[mpf, mpf], list[mpf]]:
    a, b, c = (mp.mpf(x) for x in axes)
    e1, e2 = mp.mpf(e1), mp.mpf(e2)

    def surface(u: mpf, v: mpf) -> list[mpf]:
        d = [mp.cos(v) * mp.cos(u), mp.cos(v) * mp.sin(u), mp.sin(v)]
        inner = abs(d[0]) ** (2 / e2) + abs(d[1]) ** (2 / e2)
        reach = (inner ** (e2 / e1) + abs(d[2]) ** (2 / e1)) ** (-e1 / 2)
        return [a * reach * d[0], b * reach * d[1], c * reach * d[2]]

    return surface


def bumpy(u: mpf, v: mpf) -> list[mpf]:
    d = [mp.cos(v) * mp.cos(u), mp.cos(v) * mp.sin(u), mp.sin(v)]
    first = mp.mpf(0.1) * mp.cos(4 * d[0] + 2 * d[1] + d[2] + mp.mpf(0.3))
    second = mp.mpf(0.05) * mp.cos(d[0] - 3 * d[1] + 4 * d[2] + 1)
    return [(1 + first + second) * x for x in d]


def knot(u: mpf, v: mpf) -> list[mpf]:
    """The trefoil's tube with its frame from the z axis."""
    center = mp.matrix([mp.sin(u) + 2 * mp.sin(2 * u), mp.cos(u) - 2 * mp.cos(2 * u), -mp.sin(3 * u)])
    along = mp.matrix([mp.cos(u) + 4 * mp.cos(2 * u), -mp.sin(u) + 4 * mp.sin(2 * u), -3 * mp.cos(3 * u)])
    tangent = along / mp.norm(along)
    first = mp.matrix([0, 0, 1]) - tangent[2] * tangent
    first /= mp.norm(first)
    second = cross(tangent, first)
    return list(center + mp.mpf(0.5) * (mp.cos(v) * first - mp.sin(v) * second))


def cross(a: matrix, b: matrix) -> matrix:
    return mp.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rod(u: mpf, v: mpf) -> list[mpf]:
    """A straight tube from z = -1 to 1 whose reference direction is x, with half-balls beyond."""
    beyond = min(u, mp.mpf(0)) + max(u - 2, mp.mpf(0))
    r = mp.mpf(0.3)
    angle = beyond / r
    across = r * mp.cos(angle)
    height = -1 + (u - beyond) + r * mp.sin(angle)
    return [across * mp.cos(v), -across * mp.sin(v), height]


def profile_of(name: str) -> BezierProfile:
    surface = ALL[name].surfaces[0]
    assert isinstance(surface, Revolution)
    assert isinstance(surface.profile, BezierProfile)
    return surface.profile


REFERENCES = {
    "sphere": turned(lambda v: (mp.mpf(1.3) * mp.cos(v), mp.mpf(1.3) * mp.sin(v))),
    "torus": turned(lambda v: (1 + mp.mpf(0.3) * mp.cos(v), mp.mpf(0.3) * mp.sin(v))),
    "apple": turned(cubic_profile(profile_of("apple").curve)),
    "vase": turned(cubic_profile(profile_of("vase").curve)),
    "ellipsoid": superquadric((1.0, 0.7, 0.4), 1, 1),
    "rounded box": superquadric((1.0, 0.7, 0.4), 0.5, 0.6),
    "pinched": superquadric((1.0, 0.7, 0.4), 0.5, 1.4),
    "bumpy sphere": bumpy,
    "knot": knot,
    "rod": rod,
}
ORDERS = {"point": (0, 0), "du": (1, 0), "dv": (0, 1), "duu": (2, 0), "duv": (1, 1), "dvv": (0, 2)}


def reference(
    surface: Callable[[mpf, mpf], list[mpf]], uv: Sequence[float], order: tuple[int, int]
) -> Floats:
    with mp.workdps(40):
        at = tuple(mp.mpf(x) for x in uv)
        if order == (0, 0):
            return np.array([float(x) for x in surface(*at)])
        return np.array([float(mp.diff(lambda u, v, i=i: surface(u, v)[i], at, order)) for i in range(3)])


@pytest.mark.parametrize("name", REFERENCES)
def test_derivatives_are_exact_to_second_order(name: str, rng: np.random.Generator) -> None:
    surface = ALL[name].surfaces[0]
    u, v = surface.domain
    # A tip and a joint are left out: differences need a neighbourhood.
    fraction = rng.uniform(0.03, 0.97, (POINTS, 2))
    uv = np.array([u.lower, v.lower]) + fraction * [u.length, v.length]
    ours = surface.derivatives(np.zeros(POINTS, dtype=np.intp), uv)
    for part, order in ORDERS.items():
        expected = np.array([reference(REFERENCES[name], row, order) for row in uv.tolist()])
        scale = np.linalg.norm(expected, axis=1).max() + 1e-3
        np.testing.assert_allclose(getattr(ours, part), expected, rtol=0, atol=1e-12 * scale, err_msg=part)
