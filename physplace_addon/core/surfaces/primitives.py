"""The exact bodies an artist can name, centred on the origin with axis z.

Each function returns a `Complex`; every wrong number is a SurfaceError that names the kind, the property,
what was expected and what was found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Bools, Floats
from ..errors import SurfaceError
from .complexes import Complex, featureless
from .paths import Path, bezier_path, spline_path
from .planar import rectangle
from .profile_runs import chain_of_bezier, chain_through, runs_of
from .profiles import ArcProfile, LineProfile
from .quadrature import star_mass
from .revolved import revolve
from .ripples import Ripples
from .star import Gauge, Star
from .superquadric import SuperquadricGauge, superquadric_mass
from .tubes import tube_about

LEAST_EXPONENT, MOST_EXPONENT = 0.1, 2.0


def positive(kind: str, name: str, value: object) -> float:
    """Return `value` as a float; raises SurfaceError unless it is a positive finite number."""
    try:
        number = float(value)  # type: ignore[arg-type]  # anything may come from a custom property
    except (TypeError, ValueError):
        raise SurfaceError(kind, name, f"found {value!r}", "expected a positive number") from None
    if isinstance(value, (bool, str)) or not (math.isfinite(number) and number > 0.0):
        raise SurfaceError(kind, name, f"found {value!r}", "expected a positive number")
    return number


def plane(size_x: float, size_y: float) -> Complex:
    """Return a rectangle in the plane z = 0; the side of +z is outside."""
    return rectangle(positive("plane", "size_x", size_x), positive("plane", "size_y", size_y))


def sphere(radius: float) -> Complex:
    """Return a sphere."""
    r = positive("sphere", "radius", radius)
    return revolve("sphere", [ArcProfile((0.0, 0.0), r, -0.5 * math.pi, 0.5 * math.pi)])


def torus(major_radius: float, minor_radius: float) -> Complex:
    """Return a ring torus about z; the minor radius must be less than the major one."""
    major = positive("torus", "major_radius", major_radius)
    minor = positive("torus", "minor_radius", minor_radius)
    if minor >= major:
        found = f"found {minor:g} with major_radius {major:g}, so the torus cuts itself"
        raise SurfaceError("torus", "minor_radius", found, "expected less than major_radius")
    arc = ArcProfile((major, 0.0), minor, 0.0, 2.0 * math.pi, periodic=True)
    return revolve("torus", [arc], ring=True)


def cylinder(radius: float, height: float) -> Complex:
    """Return a cylinder closed by disks, z from -height/2 to height/2."""
    r, h = positive("cylinder", "radius", radius), 0.5 * positive("cylinder", "height", height)
    corners = [(0.0, -h), (r, -h), (r, h), (0.0, h)]
    return revolve("cylinder", [LineProfile(a, b) for a, b in pairwise(corners)])


def cone(radius: float, height: float) -> Complex:
    """Return a cone closed by a disk, apex up, z from -height/2 to height/2."""
    r, h = positive("cone", "radius", radius), 0.5 * positive("cone", "height", height)
    return revolve("cone", [LineProfile((0.0, -h), (r, -h)), LineProfile((r, -h), (0.0, h))])


def superquadric(
    size_x: float, size_y: float, size_z: float, exponent_1: float = 1.0, exponent_2: float = 1.0
) -> Complex:
    """Return a superquadric with half-axes size_*; exponent_1 shapes the meridians, exponent_2 the parallels.

    Exponents from 0.1 (nearly a box) over 1 (ellipsoid) to 2 (octahedron).  Above 1 the coordinate planes
    are ridges, at 2 creases that are not features: see `superquadric.py`.
    """
    sizes = [("size_x", size_x), ("size_y", size_y), ("size_z", size_z)]
    axes = np.array([positive("superquadric", name, value) for name, value in sizes])
    e1, e2 = _exponent("exponent_1", exponent_1), _exponent("exponent_2", exponent_2)
    surface = Star(SuperquadricGauge(e1, e2), axes)
    return featureless("superquadric", surface, superquadric_mass(axes, e1, e2), float(np.linalg.norm(axes)))


def _exponent(name: str, value: object) -> float:
    number = positive("superquadric", name, value)
    if not LEAST_EXPONENT <= number <= MOST_EXPONENT:
        expected = f"expected {LEAST_EXPONENT:g} to {MOST_EXPONENT:g}"
        raise SurfaceError("superquadric", name, f"found {number:g}", expected)
    return number


def radial(gauge: Gauge, axes: ArrayLike = (1.0, 1.0, 1.0)) -> Complex:
    """Return the star-shaped body of any smooth gauge, stretched by `axes` (3,)."""
    surface = Star(gauge, np.asarray(axes, dtype=np.float64))
    mass = star_mass(surface)
    reach = np.max(np.abs(surface.derivatives(*_direction_samples()).point), axis=0)
    return featureless("radial", surface, mass, float(np.linalg.norm(reach)))


def bumpy_sphere(radius: float, amplitude: ArrayLike, wave: ArrayLike, phase: ArrayLike) -> Complex:
    """Return the sphere of radius r (1 + sum a cos(k . d + phi)), d the direction.

    Amplitudes (m,) relative to the radius, wave vectors (m, 3) and phases (m,) in radians.
    """
    r = positive("bumpy sphere", "radius", radius)
    a, k, phi = (np.asarray(x, dtype=np.float64) for x in (amplitude, wave, phase))
    if float(np.abs(a).sum()) >= 1.0:
        found = f"found a sum of {float(np.abs(a).sum()):g}"
        raise SurfaceError("bumpy sphere", "amplitude", found, "expected amplitudes that sum to less than 1")
    return radial(Ripples(r, a.reshape(-1), k.reshape(-1, 3), phi.reshape(-1)))


def revolution(profile: ArrayLike, closed: bool = False, sharp: Sequence[bool] | Bools | None = None) -> Complex:
    """Return a profile in (r, z) turned about the z axis.

    `profile` is points (n, 2), joined by a smooth spline broken at the `sharp` ones (n,), or Bezier pieces
    (m, 4, 2), whose corners are where their tangents turn.  `closed`: the last point joins the first.  Ends
    on the axis close the solid; ends off it leave it open.  Which way it is drawn does not matter where it
    is closed.
    """
    points = _array("revolution", "profile", profile)
    if points.ndim == 3 and points.shape[1:] == (4, 2) and len(points):
        chain = chain_of_bezier(points, closed)
    elif points.ndim == 2 and points.shape[1] == 2 and len(points) >= (3 if closed else 2):
        chain = chain_through(points, _sharp_flags(sharp, len(points)), closed)
    else:
        expected = "expected points (n, 2), two at least, or Bezier pieces (m, 4, 2)"
        raise SurfaceError("revolution", "profile", f"found an array of shape {points.shape}", expected)
    return revolve("revolution", runs_of(chain), chain.ring)


def _sharp_flags(sharp: Sequence[bool] | Bools | None, count: int) -> Bools:
    flags = np.zeros(count, dtype=np.bool_) if sharp is None else np.asarray(sharp, dtype=np.bool_)
    if flags.shape != (count,):
        raise SurfaceError("revolution", "sharp", f"found shape {flags.shape}", f"expected one flag per point, ({count},)")
    return flags


def tube(path: Path | ArrayLike, radius: float, closed: bool = False) -> Complex:
    """Return a tube of constant radius: closed where its path is, else with round ends.

    `path` is a Path, points (n, 3) joined by a smooth spline, or Bezier pieces (m, 4, 3) without corners.
    """
    r = positive("tube", "radius", radius)
    return tube_about(path if isinstance(path, Path) else _path_of(path, closed), r)


def _path_of(path: ArrayLike, closed: bool) -> Path:
    points = _array("tube", "path", path)
    if points.ndim == 3 and points.shape[1:] == (4, 3) and len(points):
        return bezier_path(points, closed)
    if points.ndim == 2 and points.shape[1] == 3 and len(points) >= (3 if closed else 2):
        if np.any((np.diff(points, axis=0) == 0.0).all(axis=1)):
            raise SurfaceError("tube", "path", "two successive points coincide", "remove one of them")
        return spline_path(points, closed)
    expected = "expected points (n, 3), two at least, or Bezier pieces (m, 4, 3)"
    raise SurfaceError("tube", "path", f"found an array of shape {points.shape}", expected)


def _array(kind: str, name: str, value: ArrayLike) -> Floats:
    array = np.asarray(value, dtype=np.float64)
    if not np.isfinite(array).all():
        raise SurfaceError(kind, name, "found a number that is not finite", "expected finite coordinates")
    return array


def _direction_samples() -> tuple[np.ndarray[tuple[int], np.dtype[np.intp]], Floats]:
    u, v = np.meshgrid(np.linspace(0.0, 2.0 * math.pi, 64), np.linspace(-0.5 * math.pi, 0.5 * math.pi, 33))
    return np.zeros(u.size, dtype=np.intp), np.column_stack([u.reshape(-1), v.reshape(-1)])
