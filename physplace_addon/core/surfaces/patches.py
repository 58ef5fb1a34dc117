"""What a face needs of the patches it is made of, whatever their formula.

Patches have the unit square of parameters each.  Where one has a pole, it is on its whole side v = 1; with w
= 1 - v, A = S_u / w and B = S_v span the tangent plane up to it.  Elsewhere w is 1.  Sides are numbered u =
0, u = 1, v = 0, v = 1, each with its own rising parameter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ..arrays import ArrayRecord, Bools, Floats, Ints
from ..vectors import cross, dot, length
from .geometry import Derivatives

POLE_SIDE = 3  # the side v = 1, on which a patch has its pole


@dataclass(frozen=True, eq=False)
class Slopes:
    """Points (k, 3), A = S_u / scale and B = S_v, each (k, 3); scale (k,) is w on polar patches, else 1."""

    point: Floats
    along: Floats
    across: Floats
    scale: Floats


@dataclass(frozen=True, eq=False)
class SideEnds:
    """Where each side of each patch starts and ends.

    places (n, 4, 2, 3), scene units; leaving (n, 4, 2, 3): the unit tangents into the side there.
    """

    places: Floats
    leaving: Floats


class SideCurve(ABC):
    """Sides of patches one after another as one curve, run through at a speed near 1."""

    @property
    @abstractmethod
    def knots(self) -> Floats:
        """Parameters (m + 1,) of the corners between the sides, both ends included."""

    @abstractmethod
    def jet(self, t: Floats) -> Floats:
        """Return the point and its first two derivatives by t (k,), side by side in (k, 9) or more."""

    @abstractmethod
    def chord_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return bounds (k,) on the distances of arcs over [lower, upper], each within one side, to their
        chords.
        """

    def piece_of(self, t: Floats) -> Ints:
        """Return the side (k,) that holds each parameter."""
        return np.searchsorted(self.knots[1:-1], t, side="right")


class Patches(ArrayRecord, ABC):
    """n patches, evaluated many at once; polar (n,) marks those that have a pole."""

    polar: Bools

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def pole(self) -> Floats:
        """The pole of each polar patch, zero for the others, (n, 3)."""

    @property
    def has_poles(self) -> bool:
        """Whether any patch is polar."""
        return bool(self.polar.any())

    @property
    @abstractmethod
    def reach(self) -> float:
        """The largest coordinate, scene units."""

    @property
    def rounding(self) -> float:
        """A length below which the rounding of points hides whether they have moved, scene units."""
        return 2.0**-50 * self.reach

    @abstractmethod
    def slopes(self, patch: Ints, at: Floats) -> Slopes:
        """Return points and tangents of patches (k,) at parameters (k, 2)."""

    @abstractmethod
    def forms(self, patch: Ints, at: Floats) -> tuple[Slopes, Floats, Floats]:
        """Return the slopes, the unit normals A x B (k, 3), and n . d2S in the basis (A, B), (k, 2, 2)."""

    @abstractmethod
    def derivatives(self, patch: Ints, at: Floats) -> Derivatives:
        """Return the exact partial derivatives to second order of patches (k,) at parameters (k, 2)."""


class SidedPatches(Patches):
    """Patches that can be joined by their sides, and each be tessellated by itself."""

    @property
    @abstractmethod
    def ends(self) -> SideEnds:
        """Where the sides start and end, and the tangents there."""

    @property
    def corners(self) -> Floats:
        """The corners (n, 2, 2, 3) by the ends of u and of v."""
        return self.ends.places[:, :2]

    @abstractmethod
    def cell_bounds(self, patch: int, cells_u: int, cells_v: int) -> tuple[Floats, Floats, Floats]:
        """Return proven bounds (cells,) on the distance of a patch to its triangles, and their parts along u
        and v.

        Args:
            patch: which one.
            cells_u: how many equal cells along u, outermost.
            cells_v: how many along v.

        Returns:
            the bounds; du^2 max|S_uu|; dv^2 max|S_vv|: each (cells_u cells_v,), scene units.
        """

    @abstractmethod
    def side_curve(self, patch: Ints, side: Ints, backwards: Bools) -> SideCurve:
        """Return sides (m,) of patches (m,) as one curve, some of them followed against their parameter."""


def normals_and_forms(along: Floats, across: Floats, bends: Floats) -> tuple[Floats, Floats]:
    """Return unit normals (k, 3) of tangents A and B, each (k, 3), and n . d2S (k, 2, 2).

    Args:
        along: A.
        across: B.
        bends: the derivatives d^(a + b)S by A and B, indexed (k, a, b, 3), to order two.
    """
    normal = cross(along, across)
    normal /= length(normal)[:, None]
    form = np.empty((len(normal), 2, 2))
    form[:, 0, 0] = dot(normal, bends[:, 2, 0])
    form[:, 0, 1] = form[:, 1, 0] = dot(normal, bends[:, 1, 1])
    form[:, 1, 1] = dot(normal, bends[:, 0, 2])
    return normal, form
