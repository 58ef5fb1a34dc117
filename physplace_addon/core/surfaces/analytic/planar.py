"""A flat rectangle in the plane z = 0, its outside towards +z, as one face with four edges and corners."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...mesh.mass import AREA, MassProperties
from ..base import Patch
from ..complex import GridComplex
from ..flat import Segments
from ..geometry import Derivatives, FaceGeometry, Interval
from ..tessellation import EdgeSide, VertexCorner


@dataclass(frozen=True)
class Rectangle(Patch):
    """S(u, v) = (u, v, 0), centred on the origin, size_x by size_y scene units."""

    size_x: float
    size_y: float

    @property
    def flat(self) -> bool:
        """Always true."""
        return True

    @property
    def domain(self) -> tuple[Interval, Interval]:
        """The sides of the rectangle: u from -size_x/2 to size_x/2, v likewise."""
        x, y = 0.5 * self.size_x, 0.5 * self.size_y
        return Interval(-x, x), Interval(-y, y)

    def derivatives(self, face: Ints, uv: Floats) -> Derivatives:
        """Return the points (k, 3), unit first and zero second derivatives."""
        zero = np.zeros((len(uv), 3))
        du, dv = zero.copy(), zero.copy()
        du[:, 0] = dv[:, 1] = 1.0
        return Derivatives(_lift(uv), du, dv, zero, zero, zero)

    def geometry(self, face: Ints, uv: Floats) -> FaceGeometry:
        """Return points, the constant frame and normal, and zero curvature."""
        frame, normal = np.zeros((len(uv), 2, 3)), np.zeros((len(uv), 3))
        frame[:, 0, 0] = frame[:, 1, 1] = normal[:, 2] = 1.0
        return FaceGeometry(_lift(uv), frame, normal, np.zeros((len(uv), 2, 2)))

    def move(self, face: Ints, uv: Floats, displacement: Floats) -> Floats:
        """Return the parameters (k, 2) of the closest points of the rectangle, exactly."""
        half = 0.5 * np.array([self.size_x, self.size_y])
        moved: Floats = np.clip(uv + displacement[:, :2], -half, half)
        return moved

    def cell_bounds(self, face: Ints, lower: Floats, upper: Floats) -> Floats:
        """Return zeros (k,): the triangles are the surface."""
        return np.zeros(len(lower))


def _lift(uv: Floats) -> Floats:
    point = np.zeros((len(uv), 3))
    point[:, :2] = uv
    return point


def rectangle(size_x: float, size_y: float) -> GridComplex:
    """Return the boundary of the sheet, with its four sides and corners."""
    x, y = 0.5 * size_x, 0.5 * size_y
    ends = np.array([[[-x, -y], [-x, y]], [[x, -y], [x, y]], [[-x, -y], [x, -y]], [[-x, y], [x, y]]])
    inward = np.full((4, 2, 3), np.nan)
    inward[:, 0] = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]
    places = [(upper_x, upper_y) for upper_x in (False, True) for upper_y in (False, True)]
    signs = np.array([[2.0 * a - 1.0, 2.0 * b - 1.0, 0.0] for a, b in places])
    directions = tuple(np.array([[-sx, 0.0, 0.0], [0.0, -sy, 0.0]]) for sx, sy, _ in signs.tolist())
    area = size_x * size_y
    second = area / 12.0 * np.diag([size_x**2, size_y**2, 0.0])
    return GridComplex(
        "plane",
        (Rectangle(size_x, size_y),),
        (Segments(_lift(ends.reshape(-1, 2)).reshape(4, 2, 3), inward),),
        tuple(EdgeSide(0, side) for side in range(4)),
        signs * [x, y, 0.0],
        directions,
        tuple(VertexCorner(0, a, b) for a, b in places),
        False,
        MassProperties.from_moments(area, np.zeros(3), second, AREA),
        float(np.hypot(x, y)),
    )
