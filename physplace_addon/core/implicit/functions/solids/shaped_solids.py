"""Boxes, cylinders with flat ends, cones and tori, with edges that are sharp or rounded.

With y = R' (x - c) the place in the solid's own axes and h its half-axes, each kind is where all of some
functions g_j(y, h, e) are below 0, about distances: f = max g_j. The length e is one more parameter. Of most
kinds it is the radius over which the max is blended (`minima.smooth_minimum`), which rounds the edges;
of a torus it is the tube's radius. The g_j are formulas, so that their derivatives and ranges are those of
`formulas`. With f_y = sum l_j g_j,y and the weights l_j of the blend,

    f_x = R f_y,   f_xx = R f_yy R',   f_c = -f_x,   f_w = -J' ((x - c) x f_x).

A cone has its base at y_z = -h_z and its apex at h_z. The apex is rounded, too: the distance from its axis
counts as sqrt(rho^2 + e^2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import Floats
from ....formulas import Jet
from ....formulas.formula import Formulas
from ....vectors import cross, length
from ..bounding_boxes import EMPTY
from ..element_rows import columns_of
from ..minima import Minimum, least_mean, sharp_minimum, smooth_minimum
from .solids import Which, least_of_active, products
from .turned_solids import TurnedSolids

_VARIABLES = ("x", "y", "z", "a", "b", "c", "e")  # the place, the half-axes, one more length
_LEAST = 1e-70  # scene units: shorter half-axes count as this
_ROUNDING = 2.0**-44  # relative rounding of f, beside the size of the solid
_PAIRS_OF_7 = np.triu_indices(7)
# the distance from the axis over the radius there; the least is far below what single precision tells
_RHO = "sqrt((x/a)^2 + (y/b)^2 + 1e-24)"


@dataclass(frozen=True, eq=False)
class ShapedSolids(TurnedSolids):
    """k solids of one shape; rows (k, 10) of centre, half-axes, rotation vector (radians) and the length e.

    Lengths are in scene units.

    Attributes:
        texts: the formulas g_j in x, y, z, the half-axes a, b, c and the length e.
        is_blended: whether e is the radius of a blend.
    """

    texts: ClassVar[tuple[str, ...]]
    is_blended: ClassVar[bool] = True
    sizes = (3, 4, 5, 9)

    @classmethod
    def of(
        cls,
        centres: ArrayLike,
        half_axes: ArrayLike,
        lengths: ArrayLike = 0.0,
        rotations: ArrayLike | None = None,
    ) -> Self:
        """Return solids, each with its own centre (k, 3) and half-axes (k, 3), or one for all.

        Args:
            centres: c, in scene units.
            half_axes: h, in scene units.
            lengths: e (k,), the radius of rounded edges or of a torus's tube.
            rotations: R (k, 3, 3); none for half-axes along x, y and z.

        Raises:
            ImplicitError: for other shapes and for what is not finite.
        """
        turned = np.eye(3) if rotations is None else rotations
        parts = (
            ("centres", 3, centres),
            ("half-axes", 3, half_axes),
            ("rotations", 9, turned),
            ("lengths", 1, lengths),
        )
        rows = columns_of(cls.kind, parts)
        own = (rows[:, :3], np.abs(rows[:, 3:6]), np.zeros((len(rows), 3)), np.abs(rows[:, 15:]))
        return cls(np.column_stack(own), rows[:, 6:15].reshape(-1, 3, 3))

    @cached_property
    def _formulas(self) -> Formulas:
        return Formulas.read(list(self.texts), _VARIABLES)

    def _placed(self, x: Floats, which: Which) -> tuple[Floats, Floats, Floats]:
        """Return x - c (..., 3), y (..., 3), and h with e (..., 4), none of them too short."""
        rows = self.rows[which]
        d = x - rows[..., :3]
        y = np.einsum("...ji,...j->...i", self.rotations[which], d)
        lengths = np.concatenate((np.maximum(rows[..., 3:6], _LEAST), rows[..., 9:]), axis=-1)
        return d, y, np.broadcast_to(lengths, (*y.shape[:-1], 4))

    def _columns(self, y: Floats, lengths: Floats, order: int) -> tuple[Floats, Floats, Floats]:
        """Return g_j (n, j), and up to an order their derivatives (n, j, 7), (n, j, 7, 7) by y, h and e."""
        variables = [*y.reshape(-1, 3).T, *lengths.reshape(-1, 4).T]
        count, kinds = len(variables[0]), len(self.texts)
        g, first = np.zeros((count, kinds)), np.zeros((count, kinds, 7))
        second = np.zeros((count, kinds, 7, 7) if order > 1 else (0,))
        for j, jet in enumerate(self._formulas.numbers(variables, order, 7 if order else 0)):
            g[:, j] = jet.value
            for i, own in enumerate(jet.first if order else ()):
                first[:, j, i] = 0.0 if own is None else own
            for i, k, own in zip(*_PAIRS_OF_7, jet.second if order > 1 else (), strict=order > 1):
                second[:, j, i, k] = second[:, j, k, i] = 0.0 if own is None else own
        return g, first, second

    def _blended(self, g: Floats, lengths: Floats) -> Minimum:
        """Return f (n,) as the largest of g (n, j), blended over the radius e, with its derivatives."""
        radius = lengths.reshape(-1, 4)[:, 3]
        if len(self.texts) == 1 or not self.is_blended or not radius.any():
            sharp = sharp_minimum(-g)
            return Minimum(-sharp.value, sharp.weights, sharp.bends, sharp.growth)
        sharp, firm = sharp_minimum(-g), np.where(radius > 0.0, radius, 1.0)
        blend, round_ = smooth_minimum(-g / firm[:, None], 1.0), radius > 0.0
        return Minimum(
            -np.where(round_, firm * blend.value, sharp.value),
            np.where(round_[:, None], blend.weights, sharp.weights),
            np.where(round_[:, None], -blend.bends / firm[:, None], 0.0),
            np.where(round_, -blend.growth, 0.0),
        )

    def values(self, x: Floats, which: Which) -> Floats:
        """Return f (...), about a distance in scene units."""
        _, y, lengths = self._placed(x, which)
        return self._blended(self._columns(y, lengths, 0)[0], lengths).value.reshape(y.shape[:-1])

    def _own_gradient(self, x: Floats, which: Which) -> tuple[Floats, Floats]:
        """Return f (...), and its derivatives (..., 7) by y, h and e."""
        _, y, lengths = self._placed(x, which)
        g, first, _ = self._columns(y, lengths, 1)
        blended = self._blended(g, lengths)
        own = np.einsum("nj,nji->ni", blended.weights, first)
        own[:, 6] += blended.growth
        return blended.value.reshape(y.shape[:-1]), own.reshape(*y.shape[:-1], 7)

    def gradients(self, x: Floats, which: Which) -> tuple[Floats, Floats]:
        """Return f (...) and f_x (..., 3) = R f_y."""
        f, own = self._own_gradient(x, which)
        return f, np.einsum("...ij,...j->...i", self.rotations[which], own[..., :3])

    def hessians(self, x: Floats, which: Which) -> tuple[Floats, Floats, Floats]:
        """Return f (...), f_x (..., 3) and f_xx (..., 3, 3) = R f_yy R'."""
        _, y, lengths = self._placed(x, which)
        g, first, second = self._columns(y, lengths, 2)
        blended, slopes = self._blended(g, lengths), first[..., :3]
        slope = np.einsum("nj,nji->ni", blended.weights, slopes)
        d = slopes - slope[:, None]
        bend = np.einsum("nj,njik->nik", blended.weights, second[..., :3, :3])
        bend -= np.einsum("nj,nji,njk->nik", blended.bends, d, d)
        r, shape = self.rotations[which], y.shape[:-1]
        turned = r @ bend.reshape(*shape, 3, 3) @ np.swapaxes(r, -1, -2)
        own = np.einsum("...ij,...j->...i", r, slope.reshape(*shape, 3))
        return blended.value.reshape(shape), own, turned

    def parameter_derivatives(self, x: Floats, which: Which) -> Floats:
        """Return the derivatives (..., 10): by the centre, the half-axes, the rotation vector and e."""
        _, own = self._own_gradient(x, which)
        d = x - self.rows[which, :3]
        slope = np.einsum("...ij,...j->...i", self.rotations[which], own[..., :3])
        turn = np.einsum("...ji,...j->...i", self.jacobians[which], cross(d, slope))
        return np.concatenate((-slope, own[..., 3:6], -turn, own[..., 6:]), axis=-1)

    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (n, k) of f: it grows with each g_j, whose ranges follow from those of y."""
        jets, lengths = self._jets(lower, upper, 0)
        shape = (len(lower), len(self.rows))
        bounds = [self._bound(own, lengths).reshape(shape) for own in _value_bounds(jets, len(lengths))]
        slack = _ROUNDING * (np.abs(self.rows[:, :6]).sum(axis=1) + self.rows[:, 9])
        return bounds[0] * (1.0 - np.sign(bounds[0]) * _ROUNDING) - slack, bounds[1] * (
            1.0 + np.sign(bounds[1]) * _ROUNDING
        ) + slack

    def least_slopes(self, lower: Floats, upper: Floats, directions: Floats) -> Floats:
        """Return lower bounds (n, k) of f_x . direction over boxes (n, 3), from those of each g_j."""
        jets, lengths = self._jets(lower, upper, 1)
        own = np.einsum("kji,nj->nki", self.rotations, directions).reshape(-1, 3)
        slopes = np.stack([_least_along(jet, own) for jet in jets], axis=1)
        least, most = (-bound for bound in _value_bounds(jets, len(lengths)))
        found, radius = least_of_active(slopes, least, most), lengths[:, 3]
        rounded = np.flatnonzero((radius > 0.0) & self.is_blended)
        if len(rounded) and len(self.texts) > 1:
            low, high = (own[rounded] / radius[rounded, None] for own in (most, least))
            found[rounded] = least_mean(slopes[rounded], low, high, 1.0)
        return found.reshape(len(lower), len(self.rows))

    def _jets(self, lower: Floats, upper: Floats, order: int) -> tuple[list[Jet], Floats]:
        """Return the ranges of each g_j and its derivatives over boxes (n, 3), for n k pairs of box and
        solid, and h with e of these (n k, 4).
        """
        low, high = lower[:, None] - self.rows[:, :3], upper[:, None] - self.rows[:, :3]
        ends: tuple[list[Floats], list[Floats]] = ([], [])
        for i in range(3):
            one, other = (products(self.rotations[:, :, i], end) for end in (low, high))
            ends[0].append(np.minimum(one, other).sum(axis=-1).ravel())
            ends[1].append(np.maximum(one, other).sum(axis=-1).ravel())
        lengths = np.column_stack((np.maximum(self.rows[:, 3:6], _LEAST), self.rows[:, 9]))
        lengths = np.broadcast_to(lengths, (*low.shape[:2], 4)).reshape(-1, 4)
        known = list(lengths.T)
        return self._formulas.ranges(
            np.array([*ends[0], *known]), np.array([*ends[1], *known]), order
        ), lengths

    def _bound(self, g: Floats, lengths: Floats) -> Floats:
        """Return f (n,) of bounds (n, j) of the g_j, which may be infinite."""
        bound: Floats = g.max(axis=1)
        finite = np.isfinite(g).all(axis=1)
        bound[finite] = self._blended(g[finite], lengths[finite]).value
        return bound

    def extents(self, level: float) -> Floats:
        """Return half the extents (k, 3), along the own axes, of where f <= level; below 0 for nothing."""
        raise NotImplementedError

    def boxes(self, level: float) -> Floats:
        """Return the boxes (k, 2, 3) about where f <= level."""
        half = self.extents(level) * (1.0 + _ROUNDING)
        widths = self._widths(np.maximum(half, 0.0))
        widths[(half < 0.0).any(axis=1)] = -np.inf
        return np.stack((self.rows[:, :3] - widths, self.rows[:, :3] + widths), axis=1)

    def _widths(self, half: Floats) -> Floats:
        """Return half the extents (k, 3) along x, y and z of cylinders with such half-axes (k, 3)."""
        return self._around(half) + np.abs(self.rotations[:, :, 2]) * half[:, 2:]

    def _around(self, half: Floats) -> Floats:
        """Return half the extents (k, 3) along x, y and z of ellipses with such half-axes (k, 2 or 3)."""
        around: Floats = np.sqrt(((self.rotations[:, :, :2] * half[:, None, :2]) ** 2).sum(axis=2))
        return around


def _value_bounds(jets: Sequence[Jet], count: int) -> list[Floats]:
    """Return lower and upper bounds, each (n, j), of j formulas; infinite where nothing is proven."""
    bounds = []
    for own, endless in (("lower", -np.inf), ("upper", np.inf)):
        g = np.stack([np.broadcast_to(getattr(each.value, own), count) for each in jets], axis=1)
        bounds.append(np.where(np.isnan(g), endless, g))
    return bounds


def _least_along(jet: Jet, directions: Floats) -> Floats:
    """Return lower bounds (n,) of a formula's slope along directions (n, 3); -infinity if unknown."""
    slope, size = np.zeros(len(directions)), length(directions)
    with np.errstate(invalid="ignore"):
        for part, along in zip(jet.first[:3], directions.T, strict=True):
            if part is not None:
                least = np.minimum(part.lower * along, part.upper * along)
                slope, size = slope + least, size + np.abs(least)
        slope -= _ROUNDING * size
    return np.where(np.isnan(slope), -np.inf, slope)


def _named(length: str) -> tuple[str, ...]:
    """Return the names of the columns, the last of which is e."""
    parts = ("centre", "half-axis", "rotation")
    return (*(f"{part} {axis}" for part in parts for axis in "xyz"), length)


class Boxes(ShapedSolids):
    """k boxes, whose edges are rounded over the length e: |y_i| - h_i."""

    kind = "box"
    columns = _named("rounding")
    texts = ("abs(x) - a", "abs(y) - b", "abs(z) - c")

    def extents(self, level: float) -> Floats:
        """Return h + level (k, 3)."""
        return self.rows[:, 3:6] + level

    def _widths(self, half: Floats) -> Floats:
        """Return half the extents (k, 3) along x, y and z."""
        return np.asarray(np.einsum("kij,kj->ki", np.abs(self.rotations), half))


class FlatCylinders(ShapedSolids):
    """k cylinders along their own z, with flat ends, whose rims are rounded over the length e."""

    kind = "flat cylinder"
    columns = _named("rounding")
    texts = (f"({_RHO} - 1)*sqrt(a*b)", "abs(z) - c")

    def extents(self, level: float) -> Floats:
        """Return h (k, 3), grown by the level."""
        h = np.maximum(self.rows[:, 3:6], _LEAST)
        growth = 1.0 + level / np.sqrt(h[:, 0] * h[:, 1])
        return np.column_stack((h[:, :2] * growth[:, None], h[:, 2] + level))


class EllipticCones(ShapedSolids):
    """k cones along their own z, whose rim and apex are rounded over the length e."""

    kind = "cone"
    columns = _named("rounding")
    texts = (
        "(sqrt(((x/a)^2 + (y/b)^2)*a*b + e^2 + 1e-24*a*b) - 0.5*(1 - z/c)*sqrt(a*b))*2*c/sqrt(4*c^2 + a*b)",
        "-z - c",
    )

    def extents(self, level: float) -> Floats:
        """Return the radii (k, 3) of the base, and half the height, of the cone that holds it."""
        base, top = self._ends(level)
        return np.column_stack((base[:, :2], 0.5 * (top + base[:, 2])))

    def _ends(self, level: float) -> tuple[Floats, Floats]:
        """Return the radii of the base with its depth (k, 3) below the centre, and the apex's height (k,)."""
        h = np.maximum(self.rows[:, 3:6], _LEAST)
        mean = np.sqrt(h[:, 0] * h[:, 1])
        reach = level * np.sqrt(4.0 * h[:, 2] ** 2 + mean**2) / (2.0 * h[:, 2] * mean)
        growth = 1.0 + 0.5 * level / h[:, 2] + reach
        return np.column_stack((h[:, :2] * growth[:, None], h[:, 2] + level)), h[:, 2] * (1.0 + 2.0 * reach)

    def boxes(self, level: float) -> Floats:
        """Return the boxes (k, 2, 3) about the base and the apex of where f <= level."""
        base, top = self._ends(level)
        way, around = self.rotations[:, :, 2], self._around(np.maximum(base, 0.0)) * (1.0 + _ROUNDING)
        low, high = -base[:, 2:] * way, top[:, None] * way
        box = np.stack((np.minimum(low - around, high), np.maximum(low + around, high)), axis=1)
        box[(self.extents(level) < 0.0).any(axis=1)] = EMPTY
        slack = _ROUNDING * np.abs(self.rows[:, :6]).sum(axis=1)
        box += np.array([-1.0, 1.0])[:, None] * slack[:, None, None]
        return np.asarray(self.rows[:, None, :3] + box)


class Tori(ShapedSolids):
    """k tori about their own z: the ring's radii are the first two half-axes, the tube's radius is e.

    The third half-axis means nothing: f does not change by it.
    """

    kind = "torus"
    columns = _named("tube radius")
    texts = (f"sqrt(({_RHO} - 1)^2*a*b + z^2 + 1e-24*a*b) - e",)
    is_blended = False

    def extents(self, level: float) -> Floats:
        """Return the ring's radii (k, 3) with the tube's, grown by the level."""
        h = np.maximum(self.rows[:, 3:6], _LEAST)
        tube = self.rows[:, 9] + level
        growth = np.where(tube < 0.0, -1.0, 1.0 + tube / np.sqrt(h[:, 0] * h[:, 1]))
        return np.column_stack((h[:, :2] * growth[:, None], tube))
