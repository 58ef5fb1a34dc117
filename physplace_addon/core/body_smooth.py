"""A body from a smooth-shaded mesh: curved faces through its vertices, with its normals there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .arrays import Bools, Floats, Ints
from .body import Body
from .body_exact import exact
from .errors import MeshError, SurfaceError
from .mesh.cleaning import WELD, weld
from .mesh.orientation import oriented
from .mesh.sliver_triangles import needles
from .polyhedron import polyhedron
from .surfaces.smooth.bodies import SmoothMesh, curved, is_curved
from .surfaces.smooth.creases import Shaded, newell, parted
from .surfaces.subdivision.cage import Cage
from .vectors import dot, length

MOST_PATCHES = 10_000
TOLERANCE = 5e-3  # of the triangles, over the size
LEFT_FLAT = "smooth faces are taken as flat"
_FITS = 0.5  # cosine of the angle, 60 degrees, up to which a wanted normal fits its face


def smoothed(
    points: Floats, cage: Cage, flat: Bools, wanted: Floats | None, triangles: Ints, owner: Ints, name: str
) -> tuple[Body | None, tuple[str, ...]]:
    """The body of a mesh with smooth faces, or None for one that is a polyhedron, and notes on why.

    points (nv, 3); cage: its faces, marked edges infinitely sharp; flat (nf,): faces that are not smooth;
    wanted (h, 3): normals at the corners, None for those that the faces have; triangles (t, 3) of the faces,
    and the face (t,) of each.  Without a volume it weighs what its polyhedron does.
    """
    if flat.all() or left_flat(cage.sizes):
        return None, () if flat.all() else left_flat(cage.sizes)
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
        found = curved(mesh)
        if found is None:
            return None, (f"{LEFT_FLAT}: no smooth surface fits them",)
        if found.distance <= WELD * found.boundary.size:
            return None, ()
        body = exact(found.boundary, name, tolerance=TOLERANCE * found.boundary.size)
    except SurfaceError as error:
        return None, (f"{LEFT_FLAT}: {error.subject} {error.found}",)
    said = f"{len(cage.sizes)} faces curved, {_rounded_up(found.distance)} from the mesh at most"
    return replace(body, notes=(said, *plain.notes)), ()


def left_flat(sizes: Ints) -> tuple[str, ...]:
    """A note on why faces of so many corners (nf,) are not curved: they are too many; none if they are
    not.
    """
    patches = len(sizes) if np.all(sizes == 4) else int(sizes.sum())
    return (f"{LEFT_FLAT}: more than {MOST_PATCHES} patches",) if patches > MOST_PATCHES else ()


def _rounded_up(distance: float) -> str:
    """A distance of two digits, no less than it is."""
    if not distance > 0.0:
        return "0"
    unit = 10.0 ** (np.floor(np.log10(distance)) - 1.0)
    return f"{np.ceil(distance / unit) * unit:.2g}"


def _welded(points: Floats, cage: Cage, triangles: Ints) -> tuple[Floats, Cage, Ints] | None:
    """The mesh with doubled vertices made one; None if that is not all that is wrong with it."""
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
    if twice or needles(merged, corners, width).any():
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
    """The mesh with faces turned over so that they agree and look out of a solid."""
    found = oriented(points, triangles, np.zeros(len(triangles), dtype=np.bool_))
    turned = np.zeros(len(cage.sizes), dtype=np.bool_)
    turned[owner[(found.triangles != triangles).any(axis=1)]] = True
    cage, corner = _turned_over(cage, turned)
    toward = newell(cage, points)
    areas = 0.5 * length(toward)
    own = (toward / (2.0 * areas)[:, None])[cage.face]
    shaded = Shaded(cage, points, own, areas)
    if wanted is not None:
        asked = np.where(turned[cage.face], -1.0, 1.0)[:, None] * wanted[corner]
        fits = dot(asked, own) > _FITS * length(asked)
        shaded = replace(shaded, wanted=np.where(fits[:, None], asked, own))
        shaded = replace(shaded, cage=parted(shaded, fits))
    return SmoothMesh(shaded, flat, found.triangles, owner, found.closed, plain.mass)


def _turned_over(cage: Cage, turned: Bools) -> tuple[Cage, Ints]:
    """The cage with some faces (nf,) turned over, and which corner (h,) of before each corner is."""
    start, size = cage.starts[:-1][cage.face], cage.sizes[cage.face]
    place = np.arange(len(start)) - start
    over = turned[cage.face]
    corner = np.where(over, start + size - 1 - place, start + place)
    edge = np.where(over, start + (size - 2 - place) % size, start + place)
    return replace(cage, corners=cage.corners[corner], edge_sharpness=cage.edge_sharpness[edge]), corner
