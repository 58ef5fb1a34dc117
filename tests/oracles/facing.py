"""Two exact shapes seen from one side: points of the one that are nearest to the other.

Points walk over the *walker*, the other one's signed distance is the *field*.  The walker's core is sampled
(`core()` of a shape) and samples are refined to local minima of the field; of minima close together the
lowest is kept.  A curve or an area of contact gives many.  No derivatives: corners and rims need no care.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tests.oracles.arrays import Bools, Floats, Ints
from tests.oracles.frames import rotation_of
from tests.oracles.shapes import HalfSpace, Patch, Shape

APART = 0.03  # distance / radius within which two minima count as one
NOISE = 2e-15  # of a gap, for shapes of the order of 1
SECTORS = 4  # parts of a patch's parameters that are apart, too
MOST = 64  # minima that are kept of a curve or an area of contact
STENCIL = np.stack(np.meshgrid([-1, 0, 1], [-1, 0, 1], indexing="ij"), axis=-1).reshape(-1, 2)


@dataclass(frozen=True)
class Solid:
    """A shape at a pose: rotation (3, 3) and position (3,) take its frame to the world."""

    shape: Shape
    rotation: np.ndarray
    position: np.ndarray

    @property
    def centre(self) -> np.ndarray:
        """Its centre of mass in the world (3,)."""
        assert hasattr(self.shape, "centre")
        result: np.ndarray = self.rotation @ self.shape.centre + self.position
        return result

    def displaced(self, x: Floats, radius: float) -> Solid:
        """Shifted by radius * x[:3] and turned by the rotation vector x[3:] about its centre of mass."""
        turn = np.asarray(x[3:], float)
        angle = np.linalg.norm(turn)
        axis = turn / angle if angle > 0 else np.zeros(3)
        spin = rotation_of([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
        centre = self.centre
        position = centre + spin @ (self.position - centre) + radius * np.asarray(x[:3])
        return replace(self, rotation=spin @ self.rotation, position=position)


def ground(height: float = 0.0) -> Solid:
    """All that lies below z = height."""
    return Solid(HalfSpace(), np.eye(3), np.array([0.0, 0.0, height]))


@lru_cache(maxsize=256)
def _core(shape: Hashable) -> tuple[list[Patch], float]:
    assert hasattr(shape, "core")
    patches: list[Patch]
    radius: float
    patches, radius = shape.core()
    return patches, radius


def walks(first: Shape, second: Shape) -> bool:
    """Whether `first` is the walker.  A thickened curve or point is rather the field: where it touches in two
    places one point of its core is nearest to both.
    """
    if not hasattr(second, "core") or not hasattr(first, "signed_distance"):
        return True
    return hasattr(second, "signed_distance") and _core(first)[1] == 0


@dataclass(frozen=True)
class Minima:
    """n points of the walker's core: patch (n,), parameters (n, 2), and how far their samples' neighbours
    are, in parameters (n, 2).
    """

    patch: np.ndarray
    parameter: np.ndarray
    width: np.ndarray

    def take(self, rows: Ints | Bools) -> Minima:
        return Minima(self.patch[rows], self.parameter[rows], self.width[rows])

    @staticmethod
    def join(parts: list[Minima]) -> Minima:
        fields = ("patch", "parameter", "width")
        return Minima(*(np.concatenate([getattr(part, name) for part in parts]) for name in fields))


class Facing:
    """Two shapes seen from one side.  Poses of the walker relative to the field: rotations (n, 3, 3) and
    shifts (n, 3), one per minimum.
    """

    def __init__(self, first: Shape, second: Shape) -> None:
        self.first_walks = walks(first, second)
        walker, field = (first, second) if self.first_walks else (second, first)
        self.patches, self.thickness = _core(walker)
        assert hasattr(field, "signed_distance")
        self.field: Callable[[Floats], Floats] = field.signed_distance

    def relative(self, first: Solid, second: Solid) -> tuple[np.ndarray, np.ndarray]:
        """The walker's rotation (3, 3) and shift (3,) in the field's frame."""
        walker, field = (first, second) if self.first_walks else (second, first)
        turn = field.rotation.T
        return turn @ walker.rotation, turn @ (walker.position - field.position)

    def points(self, minima: Minima, rotation: Floats, shift: Floats) -> np.ndarray:
        """Points (n, 3) of the walker's core in the field's frame."""
        return self._at(minima.patch, minima.parameter[:, None], rotation, shift)[:, 0]

    def _at(self, patch: Ints, parameter: Floats, rotation: Floats, shift: Floats) -> Floats:
        """Points (n, s, 3) at parameters (n, s, 2)."""
        x = np.empty((*parameter.shape[:2], 3))
        for number in np.unique(patch):
            rows = np.nonzero(patch == number)[0]
            flat = parameter[rows].reshape(-1, 2)
            x[rows] = self.patches[number].at(flat).reshape(len(rows), -1, 3)
        result: Floats = np.einsum("nij,nsj->nsi", rotation, x) + shift[:, None]
        return result

    def gaps(self, patch: Ints, parameter: Floats, rotation: Floats, shift: Floats) -> np.ndarray:
        """Clearance (n, s) of the walker at parameters (n, s, 2)."""
        x = self._at(patch, parameter, rotation, shift)
        return self.field(x.reshape(-1, 3)).reshape(x.shape[:2]) - self.thickness

    def samples(self, rotation: Floats, shift: Floats, within: float) -> Minima:
        """The walker's grid points that may lead to a gap below `within`."""
        found = []
        for number, patch in enumerate(self.patches):
            axes = [np.linspace(*ends) for ends in zip(patch.lower, patch.upper, patch.counts, strict=True)]
            p = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
            value = self.gaps(np.full(1, number), p[None], rotation[None], shift[None])[0]
            near = np.nonzero(value <= within + _reach(patch, p))[0]
            width = [
                (hi - lo) / max(n - 1, 1)
                for lo, hi, n in zip(patch.lower, patch.upper, patch.counts, strict=True)
            ]
            found.append(Minima(np.full(len(near), number), p[near], np.tile(width, (len(near), 1))))
        return Minima.join(found)

    def chart(self, minima: Minima) -> np.ndarray:
        """Where in the walker's parameters minima are (n, 3), such that 1 is far: what is near in space but
        far here (across a seam or a pole, on another patch) can't walk over.
        """
        lower, upper = self._ends(minima)
        span = np.where(upper > lower, upper - lower, 1.0)
        return np.column_stack([2.0 * minima.patch, SECTORS * (minima.parameter - lower) / span])

    def _ends(self, minima: Minima) -> Floats:
        ends = [(self.patches[number].lower, self.patches[number].upper) for number in minima.patch]
        return np.moveaxis(np.array(ends, float).reshape(-1, 2, 2), 1, 0)

    def refined(
        self, minima: Minima, rotation: Floats, shift: Floats, scale: float = 1.0, farthest: float = np.inf
    ) -> tuple[Minima, np.ndarray]:
        """Walk each point to a local minimum of the gap, no farther than `farthest` times its samples'
        spacing; return where they end and their gaps (n,).

        Each round looks at the eight neighbours at a distance, and at the minimum of the parabola through
        them; where none is lower the distance shrinks.  Begins with `scale` times the spacing.
        """
        lower, upper = self._ends(minima)
        if np.isfinite(farthest):
            lower = np.maximum(lower, minima.parameter - farthest * minima.width)
            upper = np.minimum(upper, minima.parameter + farthest * minima.width)
        p, size, live = minima.parameter.copy(), np.full(len(lower), scale), np.arange(len(lower))
        value = self.gaps(minima.patch, p[:, None], rotation, shift)[:, 0]
        for _ in range(60):
            if len(live) == 0:
                break
            step = size[live, None] * minima.width[live]
            around = p[live, None] + step[:, None] * STENCIL
            around = np.clip(around, lower[live, None], upper[live, None])
            gap = self.gaps(minima.patch[live], around, rotation[live], shift[live])
            way, promised = _parabola(gap)
            leap = np.clip(p[live] + step * way, lower[live], upper[live])[:, None]
            there = self.gaps(minima.patch[live], leap, rotation[live], shift[live])
            at, new = _lowest(np.hstack([around, leap]), np.hstack([gap, there]))
            asked = np.max(np.abs(at - p[live]) / np.where(step > 0, step, 1), axis=1)
            better = new < value[live]
            p[live] = np.where(better[:, None], at, p[live])
            value[live] = np.where(better, new, value[live])
            grown = np.where(asked > 0.9, 1.7, np.maximum(2 * asked, 0.05))
            size[live] *= np.where(better, grown, np.where(promised < 100 * NOISE, 0.03, 0.2))
            live = live[(size[live] > 1e-9) & (np.ptp(gap, axis=1) > NOISE)]
        return replace(minima, parameter=p), value


def _lowest(parameter: Floats, gap: Floats) -> tuple[Floats, Floats]:
    """The parameters (n, 2) of the lowest of the gaps (n, s), and that gap (n,)."""
    best, row = np.argmin(gap, axis=1), np.arange(len(gap))
    return parameter[row, best], gap[row, best]


def _reach(patch: Patch, p: Floats) -> float:
    """How far the surface can be from the nearest sample: half a cell's diagonal and a margin."""
    x = patch.at(p).reshape(*patch.counts, 3)
    steps = [np.max(np.linalg.norm(np.diff(x, axis=axis), axis=-1), initial=0.0) for axis in (0, 1)]
    return 0.75 * float(np.hypot(*steps))


def _parabola(gap: Floats) -> tuple[np.ndarray, np.ndarray]:
    """The lowest point (n, 2) of the parabola through the gaps (n, 9) at the stencil, in steps, and how much
    lower it is (n,).

    The stiffer parameter is eliminated, so that the softer one moves along the valley, by 2 steps at most and
    there where the valley bends down.
    """
    g = gap.reshape(-1, 3, 3)
    turned = np.abs(np.diff(g[:, :, 1], 2)) < np.abs(np.diff(g[:, 1], 2))
    g = np.where(turned[:, :, None], np.swapaxes(g, 1, 2), g)  # the first parameter is now the stiffer one
    slope, soft_slope = (g[:, 2, 1] - g[:, 0, 1]) / 2, (g[:, 1, 2] - g[:, 1, 0]) / 2
    stiff = np.maximum(np.abs(np.diff(g[:, :, 1], 2)[:, 0]), 1e-300)
    across = (g[:, 2, 2] - g[:, 2, 0] - g[:, 0, 2] + g[:, 0, 0]) / 4
    soft = np.maximum(np.diff(g[:, 1], 2)[:, 0] - across**2 / stiff, 1e-12 * stiff + 1e-300)
    pull = across * slope / stiff - soft_slope
    along = np.sign(pull) * np.minimum(np.abs(pull), 2 * soft) / soft
    down = -(slope + across * along)
    step = np.stack([np.sign(down) * np.minimum(np.abs(down), 2 * stiff) / stiff, along], axis=1)
    promised = np.abs(slope) * np.minimum(np.abs(slope) / 2, stiff) / stiff + np.abs(pull * along) / 2
    return np.where(turned, step[:, ::-1], step), promised


def nearest(
    facing: Facing,
    first: Solid,
    second: Solid,
    within: float,
    radius: float,
    most: int = MOST,
    farthest: float = np.inf,
) -> tuple[Minima, Floats]:
    """The minima with a gap below `within`, those close together told as one, and their gaps (n,).

    Where samples may go no farther than `farthest` spacings, what is not lowest but near enough counts, too:
    a curve of contact is seen as one even if it touches at its ends alone.
    """
    rotation, shift = facing.relative(first, second)
    minima = facing.samples(rotation, shift, within)
    turns, moves = repeated(rotation, shift, len(minima.patch))
    minima, gap = facing.refined(minima, turns, moves, farthest=farthest)
    order = np.argsort(gap, kind="stable")
    order = order[gap[order] < within]
    minima = minima.take(order)
    at = facing.points(minima, turns[order], moves[order]) / (APART * radius)
    chosen = thinned(np.hstack([at, facing.chart(minima)]), 1.0, most)
    return minima.take(chosen), gap[order[chosen]]


def thinned(x: Floats, apart: float, most: int) -> np.ndarray:
    """Rows of points (n, d), each the farthest from those chosen before, until none is `apart` from them."""
    if len(x) == 0:
        return np.zeros(0, int)
    chosen, away = [0], np.linalg.norm(x - x[0], axis=1)
    while len(chosen) < most and away.max() > apart:
        chosen.append(int(np.argmax(away)))
        away = np.minimum(away, np.linalg.norm(x - x[chosen[-1]], axis=1))
    return np.array(chosen)


def repeated(rotation: Floats, shift: Floats, count: int) -> tuple[Floats, Floats]:
    """One pose for many points."""
    return np.broadcast_to(rotation, (count, 3, 3)), np.broadcast_to(shift, (count, 3))
