"""Implicit surfaces of known shape for the tests: blobs of any genus, fourteen spheres, what has knives."""

from itertools import pairwise

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import (
    Blob,
    Boxes,
    CylinderField,
    FormulaFunction,
    HalfSpaces,
    SphereField,
    Spheres,
    blobby_cylinders,
    blobby_spheres,
    difference,
    intersection,
)
from physplace_addon.core.implicit.functions.base import ImplicitFunction

BIAS = 0.5


def blobby_cylinder(length: float = 2.0, radius: float = 0.6) -> Blob:
    """One blobby cylinder along x about the origin (Figure 1): the surface is 0.83 radii from the segment."""
    half = 0.5 * length
    return blobby_cylinders(BIAS, [[-half, 0.0, 0.0]], [[half, 0.0, 0.0]], radius)


def torus(ring: float = 1.0, tube: float = 0.4) -> FormulaFunction:
    """A torus about z as a formula; its parameters are its two radii, R and r."""
    return FormulaFunction.read("(sqrt(x^2 + y^2) - R)^2 + z^2 - r^2", {"R": ring, "r": tube})


def fourteen_spheres(seed: int = 14) -> Blob:
    """Fourteen blobby spheres (m = 56 without the bias) grown upon one another: one lump, 2 to 3 across."""
    rng = np.random.default_rng(seed)
    centres = [np.zeros(3)]
    for _ in range(13):
        centres.append(centres[rng.integers(len(centres))] + 0.45 * _direction(rng))
    return blobby_spheres(BIAS, centres, rng.uniform(0.4, 0.6, 14))


def blob_of_genus(genus: int, seed: int = 0) -> Blob:
    """A blob of 0 to 5 holes: rings of spheres or of cylinders, side by side, each tied to the next.

    Turned at random; between 1.5 and 12 across. Without holes it is a branching chain of spheres.
    """
    rng = np.random.default_rng([genus, seed])
    if genus == 0:
        return fourteen_spheres(seed)
    balls: list[Floats] = []
    starts: list[Floats] = []
    ends: list[Floats] = []
    ball_radii: list[float] = []
    radii: list[float] = []
    place = np.zeros(3)
    tip: Floats | None = None
    for _ in range(genus):
        size, thickness = rng.uniform(0.8, 1.1), rng.uniform(0.2, 0.28)
        ring = place + size * _ring(rng)
        if rng.random() < 0.5:
            balls.extend(ring)
            ball_radii.extend([1.25 * thickness] * len(ring))
        else:
            starts.extend(a for a, _ in pairwise([*ring, ring[0]]))
            ends.extend(b for _, b in pairwise([*ring, ring[0]]))
            radii.extend([thickness] * len(ring))
        if tip is not None:
            starts.append(tip)
            ends.append(ring[np.argmin(ring[:, 0])])
            radii.append(thickness)
        tip = ring[np.argmax(ring[:, 0])]
        place += (2.0 * size + rng.uniform(0.4, 0.8), rng.uniform(-0.5, 0.5), rng.uniform(-0.3, 0.3))
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turned = [np.reshape(own, (-1, 3)) @ turn for own in (balls, starts, ends)]
    return Blob(BIAS, (SphereField.of(turned[0], ball_radii), CylinderField.of(turned[1], turned[2], radii)))


def _ring(rng: np.random.Generator) -> Floats:
    """Twelve to fourteen places on an oval of about radius 1, nearly in the plane of x and y."""
    count = int(rng.integers(12, 15))
    angle = np.arange(count) * 2.0 * np.pi / count
    tilt = rng.uniform(-0.2, 0.2)
    return np.column_stack((np.cos(angle), rng.uniform(0.9, 1.1) * np.sin(angle), tilt * np.sin(angle)))


def lens(degrees: float, radius: float) -> ImplicitFunction:
    """What two balls have in common: its rim, of some radius, is a knife of so many degrees."""
    half = np.radians(0.5 * degrees)
    away = radius / np.tan(half)
    return intersection([Spheres.of([0.0, 0.0, z], radius / np.sin(half)) for z in (-away, away)])


def wedge(degrees: float, half_width: float = 0.6) -> ImplicitFunction:
    """A box between two planes that meet in a knife on the y axis."""
    tilt = np.radians(0.5 * degrees)
    sides = [
        HalfSpaces.of([[np.sin(tilt), 0.0, way * np.cos(tilt)]], [[0.0, 0.0, 0.0]], size=1.5)
        for way in (-1.0, 1.0)
    ]
    return difference(Boxes.of([0.45, 0.0, 0.0], [[0.45, half_width, 0.6]]), sides)


def _direction(rng: np.random.Generator) -> Floats:
    way = rng.normal(size=3)
    return way / np.linalg.norm(way)


def genus_on_a_grid(function: ImplicitFunction, cells: int = 72) -> int:
    """The genus of a closed surface, from the Euler characteristic of the grid points inside and their
    unit cells: half that of the surface, 1 - genus, for one component.
    """
    low, high = function.box()
    step = (high - low).max() / cells
    counts = np.ceil((high - low) / step).astype(int) + 3
    axes = [low[i] + step * (np.arange(counts[i]) - 1) for i in range(3)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    inside = (function.value(points.reshape(-1, 3)) < 0.0).reshape(counts)
    characteristic = 0
    for axes_of_cell in range(8):
        cell = inside
        for axis in range(3):
            if axes_of_cell >> axis & 1:
                cell = np.take(cell, range(cell.shape[axis] - 1), axis) & np.take(
                    cell, range(1, cell.shape[axis]), axis
                )
        characteristic += (-1) ** axes_of_cell.bit_count() * int(cell.sum())
    return 1 - characteristic
