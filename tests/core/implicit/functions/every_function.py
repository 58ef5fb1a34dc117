"""One function of every kind, about the same place and of the same size wherever and however large."""

import numpy as np
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import (
    Blob,
    Boxes,
    CylinderField,
    Ellipsoids,
    EllipticCones,
    FlatCylinders,
    FormulaFunction,
    Frozen,
    HalfSpaces,
    Quadrics,
    SphereField,
    Spheres,
    Tori,
    difference,
    intersection,
    union,
)
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.functions.gaussians.weighted_sum import GaussianGroup, WeightedSum
from physplace_addon.core.implicit.functions.transformed import Moved


def rotations(rng: np.random.Generator, count: int) -> Floats:
    turns = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    result: Floats = turns * np.sign(np.linalg.det(turns))[:, None, None]
    return result


def every_function(size: float = 1.0, place: ArrayLike = (0.0, 0.0, 0.0)) -> dict[str, ImplicitFunction]:
    """Functions by name: their parameters are the same numbers but for their units and the place."""
    rng = np.random.default_rng(6)
    place = np.asarray(place, dtype=float)

    def places(count: int, spread: float = 0.7) -> Floats:
        steps = np.round(spread * rng.normal(size=(count, 3)) * 2.0**20) / 2.0**20
        return place + size * steps

    spheres = Spheres.of(places(3), size * rng.uniform(0.4, 0.8, 3))
    ellipsoids = Ellipsoids.of(places(2), size * rng.uniform(0.4, 0.9, (2, 3)), rotations(rng, 2))
    turned = ellipsoids.parameters.reshape(2, 9)
    turned[:, 6:] = [[0.3, -0.2, 0.5], [1e-4, -2e-4, 1e-4]]
    ellipsoids = ellipsoids.with_parameters(turned.ravel())
    faces = rng.normal(size=(5, 3))
    planes = HalfSpaces.of(faces, place + size * np.round(0.8 * faces * 2.0**20) / 2.0**20, place, size)
    quadric = Quadrics.of([1.0, 2.0, 1.5, 0.2, -0.3, 0.4, 0.1, -0.2, 0.3, -0.8], place, 1.25 * size)
    blob = Blob(
        0.5,
        (
            SphereField.of(places(4), size * rng.uniform(0.4, 0.7, 4)),
            CylinderField.of(places(2), places(2), size * rng.uniform(0.3, 0.5, 2)),
        ),
    )
    ring = FormulaFunction.read(
        "(sqrt((x - a)^2 + (y - b)^2) - R)^2 + (z - c)^2 - r^2",
        {"a": place[0], "b": place[1], "c": place[2], "R": size, "r": 0.4 * size},
    )
    return {
        "spheres": spheres,
        "ellipsoids": ellipsoids,
        "planes": planes,
        "quadric": quadric,
        "blob": blob,
        "formula": ring,
        "union": union([spheres, ellipsoids, quadric]),
        "smooth union": union([spheres, ellipsoids, quadric], 0.4 * size),
        "intersection": intersection([planes, quadric]),
        "smooth intersection": intersection([planes, quadric], 0.3 * size),
        "difference": difference(spheres, [ellipsoids], 0.2 * size),
        "nested": union([difference(quadric, [spheres], 0.2 * size), ellipsoids], 0.3 * size),
        "sheared": union([Moved(ellipsoids, sheared(place, rng)), spheres], 0.2 * size),
        "boxes": Boxes.of(places(2), size * rng.uniform(0.4, 0.9, (2, 3)), size * 0.2, rotations(rng, 2)),
        "sharp box": Boxes.of(places(1), size * rng.uniform(0.4, 0.9, (1, 3)), 0.0, rotations(rng, 1)),
        "flat cylinders": FlatCylinders.of(
            places(2), size * rng.uniform(0.4, 0.9, (2, 3)), size * np.array([0.1, 0.3]), rotations(rng, 2)
        ),
        "cones": EllipticCones.of(
            places(2), size * rng.uniform(0.5, 0.9, (2, 3)), size * 0.15, rotations(rng, 2)
        ),
        "tori": Tori.of(places(2), size * rng.uniform(0.6, 0.9, (2, 3)), size * 0.2, rotations(rng, 2)),
        "weighted": WeightedSum(
            0.4,
            (
                GaussianGroup(1.0, False, (SphereField.of(places(2), size * rng.uniform(0.5, 0.8, 2)),)),
                GaussianGroup(-0.7, False, (SphereField.of(places(2), size * rng.uniform(0.3, 0.5, 2)),)),
                GaussianGroup(1.6, False, (CylinderField.of(places(1), places(1), size * 0.4),)),
            ),
        ),
        "frozen": Frozen(blob, np.arange(31) % 3 > 0),
    }


def sheared(place: Floats, rng: np.random.Generator) -> Floats:
    """An affine map that leaves a place where it is, and shears what is about it."""
    affine = np.eye(4)
    affine[:3, :3] += 0.3 * rng.normal(size=(3, 3))
    affine[:3, 3] = place - affine[:3, :3] @ place
    return affine


NAMES = tuple(every_function())
UPRIGHT = tuple(name for name in NAMES if name != "sheared")  # exact anywhere, with boxes that fit
