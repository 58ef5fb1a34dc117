"""Bodies with curved faces from meshes: the limit of a subdivision cage, and smooth-shaded meshes.

A subdivision cage gives its Catmull-Clark limit surface.  A smooth-shaded mesh gives curved faces through its
vertices with its normals there.  In both the faces are first turned to agree and to face outwards, as those
of any mesh are (`mesh.orientation`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Bools, Floats, Ints
from ..errors import MeshError, SurfaceError
from ..mesh.cleaning import WELD, weld
from ..mesh.orientation import oriented
from ..mesh.sliver_triangles import are_slivers
from ..surfaces.smooth.bodies import SmoothMesh, curved_faces, is_curved
from ..surfaces.smooth.creases import ShadedMesh, crease_split_normals, newell_normals
from ..surfaces.subdivision.bodies import quadrilateral_cage, subdivision
from ..surfaces.subdivision.cage import Cage
from ..surfaces.subdivision.complex import CageComplex
from ..vectors import dot, length
from .body import Body
from .exact_surfaces import exact
from .polyhedra import polyhedron


def subdivided(points: ArrayLike, cage: Cage, name: str, sharp_corners: bool = False) -> Body:
    """Return the body of the Catmull-Clark limit of a cage with points (nv, 3).

    Args:
        points: the vertices of the cage (nv, 3), in scene units.
        cage: its faces and sharp edges.
        name: of the body, for messages.
        sharp_corners: whether a border keeps the corner of a face that is alone there.

    Raises:
        SurfaceError: for no faces, for points that are not finite, for a surface without tangent planes, and
            for one that bends too sharply for its triangles.
    """
    found, turned = limit_complex(points, cage, sharp_corners)
    notes = [f"limit surface of {len(cage.sizes)} faces"]
    notes += ["faces turned over to agree, or to look out of the solid"] if turned else []
    body = exact(found, name)
    return replace(body, notes=(*notes, *body.notes))


def limit_complex(points: ArrayLike, cage: Cage, sharp_corners: bool = False) -> tuple[CageComplex, bool]:
    """Return the limit of a cage as faces, edges and vertices, and whether faces were turned over."""
    cage, at = quadrilateral_cage(points, cage, sharp_corners)
    cage, turned, closed = _outwards(cage, at)
    return subdivision(cage, at, closed), bool(turned.any())


def _outwards(cage: Cage, points: Floats) -> tuple[Cage, Bools, bool]:
    """Return the cage with faces turned to agree and to face outwards, which (nf,) were, and whether it is
    closed.

    Edges that were sharp because their faces did not agree stay sharp.
    """
    quads = cage.corners.reshape(-1, 4)
    halves = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    found = oriented(points, halves, np.zeros(len(halves), dtype=np.bool_))
    turned: Bools = (found.triangles[: len(quads)] != halves[: len(quads)]).any(axis=1)
    corners = np.where(turned[:, None], quads[:, [0, 3, 2, 1]], quads)
    sharp = cage.edge_sharpness.reshape(-1, 4)
    sharp = np.where(turned[:, None], sharp[:, ::-1], sharp)
    return replace(cage, corners=corners.ravel(), edge_sharpness=sharp.ravel()), turned, found.closed


MOST_PATCHES = 10_000
"""Most patches of a smooth-shaded mesh: it bounds the time to make a body, which grows with them."""

TOLERANCE = 5e-3
"""Distance of the tessellation from the curved faces, over the size of the mesh."""

LEFT_FLAT = "smooth faces are taken as flat"
_FITS = 0.5
"""Least cosine, that of 60 degrees, between a custom normal and its face's for the normal to be used."""


def smoothed(
    points: Floats, cage: Cage, flat: Bools, wanted: Floats | None, triangles: Ints, owner: Ints, name: str
) -> tuple[Body | None, tuple[str, ...]]:
    """Return the body of a mesh with smooth faces, or None for a polyhedron, and notes on the reason.

    Without a volume its mass is that of its polyhedron.

    Args:
        points: (nv, 3), lengths.
        cage: the faces, marked edges infinitely sharp.
        flat: faces (nf,) that are not smooth.
        wanted: normals (h, 3) at the corners of faces; None for the mesh's own.
        triangles, owner: triangles (t, 3) of the faces, and the face (t,) of each.
        name: of the object, for messages.
    """
    if flat.all() or patch_limit_note(cage.sizes):
        return None, () if flat.all() else patch_limit_note(cage.sizes)
    try:
        plain = polyhedron(points, triangles, name)
    except MeshError:
        return None, ()
    welded = _welded(points, cage, triangles)
    if welded is None:
        return None, (f"{LEFT_FLAT}: the mesh has to be cleaned",)
    mesh = _turned_outwards(*welded, flat, wanted, owner, plain)
    if not is_curved(mesh):
        return None, ()
    try:
        found = curved_faces(mesh)
        if found is None:
            return None, (f"{LEFT_FLAT}: no smooth surface fits them",)
        if found.distance <= WELD * found.boundary.size:
            return None, ()
        body = exact(found.boundary, name, tolerance=TOLERANCE * found.boundary.size)
    except SurfaceError as error:
        return None, (f"{LEFT_FLAT}: {error.subject} {error.found}",)
    said = f"{len(cage.sizes)} faces curved, {_rounded_up(found.distance)} from the mesh at most"
    return replace(body, notes=(said, *plain.notes)), ()


def patch_limit_note(sizes: Ints) -> tuple[str, ...]:
    """Return a note if faces with so many corners (nf,) need too many patches, otherwise nothing."""
    patches = len(sizes) if np.all(sizes == 4) else int(sizes.sum())
    return (f"{LEFT_FLAT}: more than {MOST_PATCHES} patches",) if patches > MOST_PATCHES else ()


def _rounded_up(distance: float) -> str:
    """Return a distance rounded up to two digits, as text."""
    if not distance > 0.0:
        return "0"
    unit = 10.0 ** (np.floor(np.log10(distance)) - 1.0)
    return f"{np.ceil(distance / unit) * unit:.2g}"


def _welded(points: Floats, cage: Cage, triangles: Ints) -> tuple[Floats, Cage, Ints] | None:
    """Return points, cage and triangles with duplicate vertices merged; None if the mesh needs more
    repair.
    """
    used = np.unique(cage.corners)
    some = points[used]
    if not np.isfinite(some).all():
        return None
    width = WELD * float(np.linalg.norm(np.ptp(some, axis=0)))
    merged, labels = weld(some, width)
    number = np.zeros(len(points), dtype=np.intp)
    number[used] = labels
    corners = number[triangles]
    cage = replace(cage, corners=number[cage.corners], vertex_sharpness=np.zeros(len(merged)))
    twice = len(np.unique(cage.face * np.intp(len(merged)) + cage.corners)) < len(cage.corners)
    if twice or are_slivers(merged, corners, width).any():
        return None
    if len(np.unique(np.sort(corners, axis=1), axis=0)) < len(corners):
        return None
    return merged, cage, corners


def _turned_outwards(
    points: Floats,
    cage: Cage,
    triangles: Ints,
    flat: Bools,
    wanted: Floats | None,
    owner: Ints,
    plain: Body,
) -> SmoothMesh:
    """Return the mesh with faces turned over so that they agree and face outwards."""
    found = oriented(points, triangles, np.zeros(len(triangles), dtype=np.bool_))
    turned = np.zeros(len(cage.sizes), dtype=np.bool_)
    turned[owner[(found.triangles != triangles).any(axis=1)]] = True
    cage, corner = _turned_over(cage, turned)
    toward = newell_normals(cage, points)
    areas = 0.5 * length(toward)
    own = (toward / (2.0 * areas)[:, None])[cage.face]
    shaded = ShadedMesh(cage, points, own, areas)
    if wanted is not None:
        asked = np.where(turned[cage.face], -1.0, 1.0)[:, None] * wanted[corner]
        fits = dot(asked, own) > _FITS * length(asked)
        shaded = replace(shaded, wanted=np.where(fits[:, None], asked, own))
        shaded = replace(shaded, cage=crease_split_normals(shaded, fits))
    return SmoothMesh(shaded, flat, found.triangles, owner, found.closed, plain.mass)


def _turned_over(cage: Cage, turned: Bools) -> tuple[Cage, Ints]:
    """Return the cage with some faces (nf,) turned over, and the old number (h,) of each corner."""
    start, size = cage.starts[:-1][cage.face], cage.sizes[cage.face]
    place = np.arange(len(start)) - start
    over = turned[cage.face]
    corner = np.where(over, start + size - 1 - place, start + place)
    edge = np.where(over, start + (size - 2 - place) % size, start + place)
    return replace(cage, corners=cage.corners[corner], edge_sharpness=cage.edge_sharpness[edge]), corner
