# SPDX-License-Identifier: GPL-3.0-or-later
"""The knots of NURBS splines, as Blender makes them from the switches Cyclic, Bezier and Endpoint.

Knots are whole numbers that rise by 1, each of them once, or, for Bezier, order - 1 times. Endpoint repeats
the first and the last `order` times. A cyclic spline has its first order - 1 points again at its end, and the
widths between its first knots again at its end, too. The spline runs from the knot number order - 1 to the
last but order - 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from bpy.types import Spline

from ..core.arrays import Floats, Ints


@dataclass(frozen=True)
class Direction:
    """One direction of a NURBS spline: how many points, its order, and its switches."""

    count: int
    order: int
    cyclic: bool
    endpoint: bool
    bezier: bool

    @classmethod
    def u(cls, spline: Spline) -> Direction:
        """The direction u of a spline: the only one of a curve."""
        switches = spline.use_cyclic_u, spline.use_endpoint_u, spline.use_bezier_u
        return cls(spline.point_count_u, spline.order_u, *switches)

    @classmethod
    def v(cls, spline: Spline) -> Direction:
        """The direction v of a surface."""
        switches = spline.use_cyclic_v, spline.use_endpoint_v, spline.use_bezier_v
        return cls(spline.point_count_v, spline.order_v, *switches)

    @property
    def is_valid(self) -> bool:
        """Whether Blender makes a spline of it: there are points enough for the order and for Bezier."""
        if self.count < max(self.order, 2):
            return False
        if self.bezier and self.cyclic:
            return self.count % (self.order - 1) == 0
        return self.endpoint or not self.bezier or self.count > self.order

    @property
    def rows(self) -> Ints:
        """The points in order, the first of a cyclic spline once more at the end."""
        again = self.order - 1 if self.cyclic else 0
        return np.arange(self.count + again) % self.count

    @property
    def knots(self) -> Floats:
        """The knots, `order` more than there are rows."""
        count = len(self.rows) + self.order
        tail = 2 * self.order - 1 if self.cyclic else self.order if self.endpoint else 0
        rising, last = self._rising(count - tail)
        knots: Floats = np.concatenate([rising, last + rising, 2.0 * last + rising])[:count]
        return knots

    def _rising(self, count: int) -> tuple[Floats, float]:
        """The first knots, and the value that comes next."""
        inner = self.order - 1 if self.bezier else 1
        if self.endpoint and self.cyclic:
            times = [1, self.order - 1]
        else:
            times = [self.order if self.endpoint else min(2, inner)]
        times += [inner] * (count + 1)
        values = np.repeat(np.arange(float(len(times))), times)
        return values[:count], float(values[count])
