"""Bodies of Bezier patches of every awkward kind, and an independent evaluation of theirs in 40 digits."""

from collections.abc import Sequence
from itertools import pairwise

import mpmath as mp
import numpy as np
from mpmath import matrix, mpf
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.surfaces.bezier.bodies import bezier
from physplace_addon.core.surfaces.bezier.sheet import BezierSheet
from tests.teapot import lid_nets, pot_nets, turned_nets

PEBBLE = (
    ((0.0, -0.5), (0.6, -0.5), (1.0, -0.3), (1.0, 0.1)),
    ((1.0, 0.1), (1.0, 0.4), (0.6, 0.5), (0.0, 0.5)),
)
TIP = (((1.2, 0.0), (0.8, 0.4), (0.4, 0.8), (0.0, 1.2)),)


def flat_patch(origin: ArrayLike, along: ArrayLike, across: ArrayLike) -> Floats:
    """A parallelogram as a patch."""
    t = np.arange(4) / 3
    origin, along, across = (np.asarray(x, float) for x in (origin, along, across))
    result: Floats = origin + t[:, None, None] * along + t[None, :, None] * across
    return result


def cube_nets() -> Floats:
    """Six sides of the cube from 0 to 1, as they come: each way round."""
    x, y, z = np.eye(3)
    bases = [(0 * x, x, y), (z, x, y), (0 * x, y, z), (x, y, z), (0 * x, z, x), (y, z, x)]
    return np.array([flat_patch(*basis) for basis in bases])


def hill_nets() -> Floats:
    """A single patch with a bump."""
    net = flat_patch([0, 0, 0], [2, 0, 0], [0, 3, 0])
    net[1:3, 1:3, 2] += [[0.9, 0.2], [0.6, -0.3]]
    return net[None]


def lune_nets() -> Floats:
    """A pebble of four patches that reach from pole to pole."""
    net = turned_nets((((0.0, -1.0), (1.3, -1.0), (1.3, 1.0), (0.0, 1.0)),))
    return net


NETS = {
    "pebble": turned_nets(PEBBLE),
    "lunes": lune_nets(),
    "cube": cube_nets(),
    "hill": hill_nets(),
    "tip": turned_nets(TIP),
    "pot": pot_nets(),
    "lid": lid_nets(),
}
BODIES = {name: bezier(nets) for name, nets in NETS.items()}
CLOSED = ["pebble", "lunes", "cube"]


def samples(
    sheet: BezierSheet, count: int, rng: np.random.Generator, margin: float = 0.0
) -> tuple[Ints, Floats]:
    """Faces (k,) and random parameters (k, 2), a fraction of each patch away from its sides."""
    patch = rng.integers(0, len(sheet.nets), count)
    at = rng.uniform(margin, 1.0 - margin, (count, 2))
    return np.zeros(count, dtype=np.intp), sheet.layout.face_parameters(patch, at)


def sheets() -> list[tuple[str, BezierSheet]]:
    """All faces of all bodies, with names."""
    return [(f"{name} {i}", sheet) for name, body in BODIES.items() for i, sheet in enumerate(body.surfaces)]


def casteljau(net: Floats, u: mpf, v: mpf) -> list[mpf]:
    """The point of one patch at mpmath numbers u and v, by repeated interpolation."""
    rows = [_interpolated([[mp.mpf(x) for x in point] for point in row], v) for row in net.tolist()]
    return _interpolated(rows, u)


def _interpolated(points: Sequence[Sequence[mpf]], t: mpf) -> list[mpf]:
    while len(points) > 1:
        points = [[x + t * (y - x) for x, y in zip(a, b, strict=True)] for a, b in pairwise(points)]
    return list(points[0])


def partial(net: Floats, u: mpf, v: mpf, order: tuple[int, int]) -> matrix:
    """A partial derivative (3,) of one patch, in mpmath, exact but for 30 digits."""
    with mp.workdps(60):
        if order == (0, 0):
            return mp.matrix(casteljau(net, u, v))
        return mp.matrix(
            [mp.diff(lambda a, b, i=i: casteljau(net, a, b)[i], (u, v), order) for i in range(3)]
        )
