# SPDX-License-Identifier: GPL-3.0-or-later
"""Floaters as disks tangent to the surface, shaded by their normals, as plain arrays: nothing here draws.

Witkin and Heckbert 1994, section 5: "redisplay the floaters as disks tangent to the surface, with normal
given by F_x and radius proportional to sigma". An even surface has about one floater to 2.9 sigma^2, so disks
of 0.9 sigma would touch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Bools, Floats, Ints
from .colours import Colour
from .layers import Layer, Primitive

CLAY: Colour = (0.86, 0.55, 0.36, 1.0)
CONTROL: Colour = (1.0, 0.85, 0.1, 1.0)
PULLED: Colour = (1.0, 0.5, 0.05, 1.0)
UNREACHED: Colour = (1.0, 0.1, 0.05, 1.0)
SHARE = 0.85  # a disk's radius over sigma
_SIDES = ((1000, 12), (5000, 8))  # (largest number of disks, corners of each); more disks have six each
_LIGHT = np.array([0.3, -0.45, 0.84])
_DARKEST = 0.3


@dataclass(frozen=True, eq=False)
class FloaterDisks:
    """The disks' centres (n, 3), unit normals (n, 3) and floaters' radii sigma (n,), in the world."""

    position: Floats
    normal: Floats
    radius: Floats

    def moved(self, affine: Floats) -> FloaterDisks:
        """Return the disks after an affine map (4, 4) of the world: tangent to the mapped surface."""
        linear = affine[:3, :3]
        scale = float(abs(np.linalg.det(linear))) ** (1.0 / 3.0)
        normal = self.normal @ np.linalg.inv(linear)
        length = np.sqrt(np.einsum("ij,ij->i", normal, normal))
        return FloaterDisks(
            self.position @ linear.T + affine[:3, 3],
            normal / np.where(length > 0.0, length, 1.0)[:, None],
            scale * self.radius,
        )


def disk_layer(floaters: FloaterDisks, colour: Colour = CLAY) -> Layer:
    """Return all disks as one layer, of one colour shaded by a fixed light."""
    corners, triangles = disks(floaters)
    sides = len(corners) // max(len(floaters.radius), 1)
    light = 0.5 + 0.5 * (floaters.normal @ _LIGHT)
    shade = _DARKEST + (1.0 - _DARKEST) * light
    colours = np.ones((len(shade), 4))
    colours[:, :3] = shade[:, None] * np.array(colour[:3])
    return Layer(
        Primitive.TRIANGLES,
        corners,
        colour,
        0.0,
        colours=np.repeat(colours, sides, axis=0),
        indices=triangles,
    )


def disks(floaters: FloaterDisks) -> tuple[Floats, Ints]:
    """Return the corners (n s, 3) of disks, s for each, and their triangles (n (s - 2), 3)."""
    count = len(floaters.radius)
    sides = next((sides for most, sides in _SIDES if count <= most), 6)
    first, second = _tangents(floaters.normal)
    angle = 2.0 * np.pi * np.arange(sides) / sides
    rim = np.cos(angle)[:, None] * first[:, None] + np.sin(angle)[:, None] * second[:, None]
    corners = floaters.position[:, None] + (SHARE * floaters.radius)[:, None, None] * rim
    fan = np.stack([np.zeros(sides - 2), np.arange(1, sides - 1), np.arange(2, sides)], axis=1)
    triangles = sides * np.arange(count)[:, None, None] + fan.astype(np.intp)
    return corners.reshape(-1, 3), triangles.reshape(-1, 3)


def _tangents(normal: Floats) -> tuple[Floats, Floats]:
    """Return two unit vectors (n, 3) each, orthogonal to unit normals (n, 3) and to each other.

    Duff and others 2017, "Building an orthonormal basis, revisited".
    """
    x, y, z = normal.T
    sign = np.where(z >= 0.0, 1.0, -1.0)
    a = -1.0 / (sign + z)
    b = x * y * a
    first = np.stack([1.0 + sign * x * x * a, sign * b, -sign * x], axis=1)
    return first, np.stack([b, sign + y * y * a, -y], axis=1)


@dataclass(frozen=True, eq=False)
class BlobMarks:
    """A blob as it is drawn, in the world.

    Attributes:
        floaters: its disks.
        controls: (n, 3), its control points.
        unreached: (n,), which of these the surface cannot pass through.
        pulls: (p, 2, 3), from control points to where they are pulled.
    """

    floaters: FloaterDisks
    controls: Floats
    unreached: Bools
    pulls: Floats

    def with_control(self, place: Floats) -> BlobMarks:
        """Return the marks with one more control point, at a place (1, 3)."""
        return replace(
            self, controls=np.vstack([self.controls, place]), unreached=np.append(self.unreached, False)
        )

    def layers(self, *, with_disks: bool = True) -> list[Layer]:
        """Return the layers that are not empty, in drawing order; the disks only where no mesh is seen."""
        layers = [
            *([disk_layer(self.floaters)] if with_disks else []),
            Layer(Primitive.LINES, self.pulls.reshape(-1, 3), PULLED, 2.0, in_front=True),
            Layer(Primitive.POINTS, self.controls[~self.unreached], CONTROL, 9.0, in_front=True),
            Layer(Primitive.POINTS, self.controls[self.unreached], UNREACHED, 9.0, in_front=True),
        ]
        return [layer for layer in layers if len(layer.vertices)]
