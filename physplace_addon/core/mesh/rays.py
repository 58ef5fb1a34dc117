"""Where a ray meets triangles.

The ray o + t d meets the plane of a triangle (a, b, c) with normal n = (b - a) x (c - a) at
t = n . (a - o) / (n . d), and the triangle itself where the weights of b and c there,

    v = d . ((c - a) x (a - o)) / (n . d)    and    w = d . ((a - o) x (b - a)) / (n . d),

are not negative and do not sum up to more than 1: with p = o + t d, v n = (p - a) x (c - a) and
w n = (b - a) x (p - a), and both are multiplied by d.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..vectors import cross, unit


@dataclass(frozen=True, eq=False)
class RayHit:
    """Where a ray first meets a triangle.

    Attributes:
        distance: from the ray's origin, in lengths of its direction.
        normal: (3,), the triangle's unit normal, turned against the ray.
    """

    distance: float
    normal: Floats


def first_hit(triangles: Floats, origin: Floats, direction: Floats) -> RayHit | None:
    """Return where a ray first meets one of some triangles; None if it meets none.

    Triangles that are parallel to the ray or have no area are not met.

    Args:
        triangles: (n, 3, 3), their corners.
        origin: (3,).
        direction: (3,), of any length but 0.
    """
    start, first, second = triangles[:, 0] - origin, *np.moveaxis(triangles[:, 1:] - triangles[:, :1], 1, 0)
    normal = cross(first, second)
    facing = normal @ direction
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.einsum("ij,ij->i", normal, start) / facing
        v = cross(second, start) @ direction / facing
        w = cross(start, first) @ direction / facing
    met = np.flatnonzero((v >= 0.0) & (w >= 0.0) & (v + w <= 1.0) & (distance >= 0.0) & np.isfinite(distance))
    if not len(met):
        return None
    nearest = met[distance[met].argmin()]
    turned = -np.sign(facing[nearest]) * unit(normal[nearest])
    return RayHit(float(distance[nearest]), turned)
