"""Whether a mesh has the topology of the surface it is of, told by what took no part in making it.

Where the boxes that prove the surface's components prove their Euler characteristics, too
(`slope_degrees`), the mesh has to have them, points - edges + triangles, and one part for each
component. Two closed surfaces that are alike in both are homeomorphic.

Elsewhere the integral of the surface's Gaussian curvature K over all of it has to be 2 pi times the mesh's
Euler characteristic (Gauss and Bonnet). A bridge or a hole that no point was on shows in that sum. At creases
the curvature is in the angle between the two sides: triangles over which the normal turns far are then taken
with the solid angle that it sweeps. Where the surface bends more sharply than its points are apart, smaller
triangles tell more.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...vectors import cross, dot, length, length_and_unit
from ..functions.base import ImplicitFunction
from ..surface_components.component_search import SurfaceComponents
from .creases.normal_jumps import creases
from .mesh_topology import MeshTopology, area_vectors
from .refinement import quartered

_SHARP = 0.5  # radians that the normal turns over a triangle at a crease
_QUARTERED = 2  # times that triangles are cut in four for the integral of the curvature
_HALF_TURN = 0.5  # units of the Euler characteristic by which the integral may be off


def is_confirmed(
    function: ImplicitFunction, components: SurfaceComponents, points: Floats, triangles: Ints
) -> bool:
    """Return whether a mesh is found to have the surface's topology.

    Args:
        function: F.
        components: those of the surface.
        points: points on the surface (n, 3).
        triangles: a closed mesh (t, 3).
    """
    proven = components.euler_characteristics
    if proven is not None:
        return _is_alike(components, proven, points, triangles)
    if gauss_bonnet_holds(function, points, triangles, False):
        return True
    if len(creases(function, points, triangles)[0]):
        return gauss_bonnet_holds(function, points, triangles, True)
    for _ in range(_QUARTERED):
        points, triangles = quartered(function, points, triangles)
        if gauss_bonnet_holds(function, points, triangles, False):
            return True
    return False


def _is_alike(components: SurfaceComponents, proven: Ints, points: Floats, triangles: Ints) -> bool:
    """Return whether a mesh has one part for each component, and Euler characteristics as proven (r,) for the
    regions inside.
    """
    part, euler = _parts(points, triangles)
    first = triangles[np.unique(part, return_index=True)[1], 0]
    number = components.numbers_of(points[first])
    if not np.array_equal(np.sort(number), np.arange(len(components))):
        return False
    region = components.pairs[number, 0] if len(components) > 1 else number
    return np.array_equal(np.bincount(region, euler, len(proven)), proven)


def _parts(points: Floats, triangles: Ints) -> tuple[Ints, Floats]:
    """Return the part (t,) that each triangle of a closed mesh is in, and their Euler characteristics."""
    part = MeshTopology.of(triangles, len(points)).component_labels
    corners = np.unique(np.stack([np.repeat(part, 3), triangles.ravel()]), axis=1)[0]
    return part, np.bincount(corners) - 0.5 * np.bincount(part)


def gauss_bonnet_holds(function: ImplicitFunction, points: Floats, triangles: Ints, creased: bool) -> bool:
    """Return whether the surface's curvature agrees with the mesh's Euler characteristic in every component.

    Args:
        function: F.
        points: points on the surface (n, 3).
        triangles: a closed mesh (t, 3).
        creased: whether the surface may have creases.
    """
    part, euler = _parts(points, triangles)
    size = length(area_vectors(points, triangles))
    angle = gaussian_curvature(function, points)[triangles].mean(axis=1) * size
    smooth = _near(np.bincount(part, angle), euler)
    if smooth or not creased:
        return smooth
    turned, swept = _swept(function, points, triangles)
    return _near(np.bincount(part, np.where(turned > _SHARP, swept, angle)), euler)


def _near(angles: Floats | Ints, euler: Floats) -> bool:
    """Return whether integrals of K (count,) agree with 2 pi times the Euler characteristics (count,)."""
    return bool((np.abs(angles / (2.0 * np.pi) - euler) <= _HALF_TURN).all())


def _swept(function: ImplicitFunction, points: Floats, triangles: Ints) -> tuple[Floats, Floats]:
    """Return how far the normal turns over triangles, and the solid angle between its directions at their
    corners.

    The angle follows from tan(angle / 2) = a . b x c / (1 + a . b + b . c + c . a).

    Returns:
        The turns (t,) in radians, and the signed solid angles (t,).
    """
    normals = length_and_unit(function.gradient(points)[1])[1]
    a, b, c = (normals[triangles[:, i]] for i in range(3))
    cosines = np.stack([dot(one, two) for one, two in ((a, b), (b, c), (c, a))])
    above = dot(a, cross(b, c))
    turned: Floats = np.arccos(np.clip(cosines.min(axis=0), -1.0, 1.0))
    swept: Floats = 2.0 * np.arctan2(above, 1.0 + cosines.sum(axis=0))
    return turned, swept


def gaussian_curvature(function: ImplicitFunction, points: Floats) -> Floats:
    """Return K (k,), 1 / scene unit squared, at points (k, 3) of the surface: F_x . adj(F_xx)
    F_x / |F_x|^4.
    """
    _, gradient, hessian = function.hessian(points)
    one, two, three = (hessian[:, i] for i in range(3))
    adjugate = np.stack([cross(two, three), cross(three, one), cross(one, two)], axis=1)
    square = dot(gradient, gradient)
    above = np.einsum("ki,kij,kj->k", gradient, adjugate, gradient)
    curvature: Floats = above / np.maximum(square * square, np.finfo(np.float64).tiny)
    return curvature
