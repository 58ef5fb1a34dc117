"""One smooth face made of many patches: contact points slide over all of it.

Each patch has the unit square of its own parameters.  The face's (u, v) say which patch as well: the squares
lie apart from one another, as on a chequered board around the origin, so that a parameter keeps nearly all
its digits and no point of one square is a point of another.

Frame, normal and curvature come from the bases (A, B) of the patches, which are regular at poles.  Where
patches join with a common tangent plane but different curvature, a point on the join has that of its patch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Floats, Ints
from ...vectors import cross, dot, length
from ..base import Surface
from ..geometry import Derivatives, FaceGeometry, Interval
from ..patches import Patches
from .geodesics import PatchAtlas, trace
from .joins import Joins
from .poles import PoleChart

_APART = 2  # distance from one square to the next: a square and a gap of the same width


@dataclass(frozen=True, eq=False)
class ParameterLayout:
    """Where the unit squares of some patches lie in the plane of the face's parameters."""

    count: int

    @cached_property
    def _columns(self) -> int:
        return max(1, math.isqrt(max(self.count - 1, 0)) + 1)

    @property
    def _middle(self) -> int:
        return self._columns // 2

    @property
    def extent(self) -> Interval:
        """The range of both parameters."""
        return Interval(-_APART * self._middle, _APART * (self._columns - 1 - self._middle) + 1.0)

    @cached_property
    def origins(self) -> Floats:
        """The lower corners (count, 2) of the squares."""
        place = np.stack(np.divmod(np.arange(self.count), self._columns), axis=1)
        origins: Floats = _APART * (place - self._middle).astype(np.float64)
        return origins

    def patch_parameters(self, uv: Floats) -> tuple[Ints, Floats]:
        """Return the patches (k,), and the parameters (k, 2) on them, of the face's parameters (k, 2)."""
        place = np.floor((uv + 0.5) / _APART).astype(np.intp) + self._middle
        place = np.clip(place, 0, self._columns - 1)
        patch = np.minimum(place[:, 0] * self._columns + place[:, 1], self.count - 1)
        return patch, np.clip(uv - self.origins[patch], 0.0, 1.0)

    def face_parameters(self, patch: Ints, at: Floats) -> Floats:
        """Return the face's parameters (k, 2) of parameters `at` (k, 2) on patches (k,)."""
        found: Floats = self.origins[patch] + at
        return found


@dataclass(frozen=True, eq=False)
class BezierSheet(Surface):
    """One face: patches whose smooth joins may be crossed, and the poles among them.

    pole_of (n,): the number of each patch's pole, -1 for none.
    """

    nets: Patches
    joins: Joins
    poles: tuple[PoleChart, ...]
    pole_of: Ints

    @cached_property
    def layout(self) -> ParameterLayout:
        """Where the patches' parameters lie."""
        return ParameterLayout(len(self.nets))

    @property
    def domain(self) -> tuple[Interval, Interval]:
        """The range of the layout, the same for u and v."""
        return self.layout.extent, self.layout.extent

    @property
    def pieces(self) -> Floats:
        """The squares (n, 2, 2) of the patches."""
        lower = self.layout.origins
        return np.stack([lower, lower + 1.0], axis=1)

    def derivatives(self, face: Ints, uv: Floats) -> Derivatives:
        """Return the exact partial derivatives to second order."""
        return self.nets.derivatives(*self.layout.patch_parameters(uv))

    def geometry(self, face: Ints, uv: Floats) -> FaceGeometry:
        """Return points, frames (first along A), outward normals and curvature."""
        slopes, normal, form = self.nets.forms(*self.layout.patch_parameters(uv))
        size = length(slopes.along)
        first = slopes.along / size[:, None]
        frame = np.stack([first, cross(normal, first)], axis=1)
        height = dot(slopes.across, frame[:, 1])
        to_frame = np.zeros((len(uv), 2, 2))
        to_frame[:, 0, 0] = 1.0 / size
        to_frame[:, 1, 0] = -dot(slopes.across, first) / (size * height)
        to_frame[:, 1, 1] = 1.0 / height
        curvature = to_frame @ form @ to_frame.transpose(0, 2, 1)
        return FaceGeometry(slopes.point, frame, normal, curvature)

    def points(self, face: Ints, uv: Floats) -> Floats:
        """Return the points alone."""
        return self.nets.slopes(*self.layout.patch_parameters(uv)).point

    def move(self, face: Ints, uv: Floats, displacement: Floats) -> Floats:
        """Return the parameters (k, 2) of the points closest to the displaced ones, on whatever patch they
        lie.

        Smooth joins and poles are crossed; at a side without a smooth join the trace goes along it.
        """
        moving = (displacement != 0.0).any(axis=1)
        if not moving.any():
            return uv.copy()
        patch, at = self.layout.patch_parameters(uv[moving])
        moved = uv.copy()
        start = self._begin(patch, at, displacement[moving])
        moved[moving] = self.layout.face_parameters(*trace(self.atlas, *start))
        return moved

    def _begin(self, patch: Ints, at: Floats, step: Floats) -> tuple[Ints, Floats, Floats]:
        """Return where to trace from, patches and parameters, and by how much (k, 3): here, where moves
        start.
        """
        return patch, at, step

    @cached_property
    def atlas(self) -> PatchAtlas:
        """What a trace needs to know of the face."""
        return PatchAtlas(self.nets, self.joins, self.poles, self.pole_of)
