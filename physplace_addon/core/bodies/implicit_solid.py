"""A body from an implicit function: the solid F < 0, bounded by the surface F = 0 itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Floats
from ..errors import BlobError
from ..implicit.functions.base import ImplicitFunction
from ..implicit.functions.union_components import components_of_union
from ..implicit.polygonize.creases.normal_jumps import creases_between
from ..implicit.polygonize.mesh_topology import MeshTopology
from ..implicit.polygonize.surface_points import neighbouring
from ..implicit.polygonize.surface_sampling import surface_samples
from ..implicit.polygonize.triangulation import MeshStatus, Triangulation, triangulating
from ..implicit.sizing_field import greatest_curvature
from ..jobs import Job, finished
from ..surfaces.bezier.sheet import BezierSheet
from ..surfaces.complex import DEFAULT_TOLERANCE
from .body import Body
from .compound import merge
from .exact_surfaces import exact
from .implicit_complex import SMOOTHER, making_implicit_complex
from .implicit_mass import weighing
from .implicit_patches import ImplicitPatches

_ACROSS = 7.0  # points across the surface where none are given
_LOOSER = 3.0  # tolerances that the mesh may be from the surface, because patches cut its triangles in six
# spacing^2 of triangles over the product of their distance from the surface and its radius of curvature
_FLAT = 4.5
_LEAST_SHARE = 0.2  # spacings at first: where finer triangles are needed, they are needed in some places only
_LEAST_POINTS = 4  # points below which there is no surface
_FINER = 0.25  # spacings: the next one where the surface has parts too small for the first
_SMALL = 0.5  # share of its box: a surface so small is sampled anew


def blob_body(
    function: ImplicitFunction,
    name: str,
    points: Floats | None = None,
    sigma: float | None = None,
    tolerance: float | None = None,
) -> Body:
    """Return the body inside an implicit surface, as `making_blob_body` does, at once."""
    return finished(making_blob_body(function, name, points, sigma, tolerance))


def making_blob_body(
    function: ImplicitFunction,
    name: str,
    points: Floats | None = None,
    sigma: float | None = None,
    tolerance: float | None = None,
) -> Job[Body]:
    """Return the body inside an implicit surface, with one exact face for each component of the surface.

    Its job is in slices. A sharp union has the faces of its components, each a whole surface. What lies
    inside of another component is touched by no other body, and does not count in the mass.

    Args:
        function: F.
        name: of the body, for messages.
        points: points (n, 3) that sample the surface; without them it is sampled here, no component left out.
        sigma: half the distance of these points, in scene units.
        tolerance: how far the tessellation may be from the surface, in scene units; 0.2 % of its size unless
            given. Faces and mass are exact.

    Raises:
        BlobError: for no surface, for an infinite one, for one that no mesh fits, and for one with creases,
            those of an intersection or a difference that is not blended, on which other bodies would rest.
    """
    pieces = components_of_union(function)
    if len(pieces) == 1:
        return (yield from _one_body(function, name, points, sigma, tolerance))
    for piece in pieces:
        _check_finite(piece, name)
    kept = [piece for piece in pieces if _has_surface(piece)]
    bodies = []
    for piece in kept or pieces[:1]:
        bodies.append((yield from _one_body(piece, name, None, None, tolerance)))
    mass = yield from weighing([_patches_of(body) for body in bodies])
    notes = (f"union of {len(bodies)} implicit surfaces",)
    return replace(merge(bodies, name, mass), notes=notes)


def _has_surface(function: ImplicitFunction) -> bool:
    """Return whether a function has any surface."""
    return len(_sampled(function)[0]) >= _LEAST_POINTS


def _patches_of(body: Body) -> ImplicitPatches:
    """Return all patches of a body that one function bounds."""
    nets = [surface.nets for surface in body.surfaces if isinstance(surface, BezierSheet)]
    return ImplicitPatches.join([net for net in nets if isinstance(net, ImplicitPatches)])


def _one_body(
    function: ImplicitFunction,
    name: str,
    points: Floats | None,
    sigma: float | None,
    tolerance: float | None,
) -> Job[Body]:
    """Return the body of a function that is no sharp union."""
    _check_finite(function, name)
    sampled, spaced = _sampled(function) if points is None or sigma is None else (points, sigma)
    if len(sampled) < _LEAST_POINTS:
        raise BlobError(name, "it has no surface", "make its elements larger, or bring them closer")
    _check_no_creases(function, sampled[neighbouring(sampled)], name)
    size = 0.5 * float(np.linalg.norm(np.ptp(sampled, axis=0)))
    within = DEFAULT_TOLERANCE * size if tolerance is None else tolerance
    mesh = yield from _meshing(function, sampled, spaced, _LOOSER * within)
    _check_mesh(function, mesh, name)
    try:
        complex = yield from making_implicit_complex(function, mesh.points, mesh.triangles, within)
    except BlobError as error:
        raise BlobError(name, error.found, error.remedy) from error
    found = exact(complex, name)
    return replace(found, notes=(*_notes(mesh), *found.notes))


def _meshing(function: ImplicitFunction, points: Floats, sigma: float, within: float) -> Job[Triangulation]:
    """Return a mesh within a distance, through more points where those given do not suffice."""
    mesh = yield from triangulating(function, *_evened(function, points, sigma, within), within)
    if mesh.status.closed:
        return mesh
    finer = _FINER * sigma
    return (yield from triangulating(function, surface_samples(function, 2.0 * finer), finer, within))


def _check_mesh(function: ImplicitFunction, mesh: Triangulation, name: str) -> None:
    """Raise BlobError for a mesh that smooth patches cannot be laid over."""
    if mesh.status is MeshStatus.TOUCHING:
        raise BlobError(
            name, "parts of it touch each other", f"move them apart or into each other, or {SMOOTHER}"
        )
    if not mesh.status.closed:
        found = "parts of it are much thinner, smaller or sharper than the rest"
        raise BlobError(name, found, f"leave them out, enlarge them, or {SMOOTHER}")
    _check_no_creases(function, mesh.points[MeshTopology.of(mesh.triangles, len(mesh.points)).ends], name)
    if mesh.status is MeshStatus.COARSE:
        raise BlobError(name, "its surface bends too sharply", SMOOTHER)


def _check_finite(function: ImplicitFunction, name: str) -> None:
    """Raise BlobError for an infinite surface."""
    box = function.box()
    if (box[0] <= box[1]).all() and not np.isfinite(box).all():
        raise BlobError(name, "its surface is infinite", "intersect it with something that is not")


def _check_no_creases(function: ImplicitFunction, ends: Floats, name: str) -> None:
    """Raise BlobError for a surface with creases between points (n, 2, 3), which no smooth patch has."""
    places, outward = creases_between(function, ends)
    if len(places):
        where = ", ".join(f"{x:.4g}" for x in places[np.argmax(outward)])
        found = f"its surface has a sharp {'edge' if outward.any() else 'crease'} near ({where})"
        raise BlobError(name, found, SMOOTHER)


def _sampled(function: ImplicitFunction) -> tuple[Floats, float]:
    """Return points all over the surface (n, 3), and about half their distance, in scene units."""
    box = function.box()
    if (box[0] > box[1]).any():
        return np.zeros((0, 3)), 0.0
    across = float(np.ptp(box, axis=0).max())
    points = surface_samples(function, across / _ACROSS)
    if len(points):
        extent = float(np.ptp(points, axis=0).max())
        if 0.0 < extent < _SMALL * across:
            across = extent
            points = surface_samples(function, across / _ACROSS)
    return points, 0.5 * across / _ACROSS


def _evened(function: ImplicitFunction, points: Floats, sigma: float, within: float) -> tuple[Floats, float]:
    """Return points (n, 3) so dense that most triangles through them are near the surface, and half their
    distance.
    """
    bend = max(float(np.median(greatest_curvature(function, points))), float(np.finfo(np.float64).tiny))
    spacing = (_FLAT * within / bend) ** 0.5
    if 2.0 * _LEAST_SHARE * sigma < spacing < 2.0 * sigma:
        return surface_samples(function, spacing), 0.5 * spacing
    return points, sigma


def _notes(mesh: Triangulation) -> tuple[str, ...]:
    """Return the notes on a body made from a mesh."""
    kind = f"implicit surface over {len(mesh.triangles)} triangles"
    return (kind,) if mesh.status == MeshStatus.CLOSED else (kind, mesh.message)
