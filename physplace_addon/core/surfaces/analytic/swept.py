"""Bodies swept from curves that an artist draws: profiles turned about the z axis, tubes along paths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Bools, Floats
from ...errors import SurfaceError
from ..bernstein import CUBIC
from ..complex import GridComplex
from ..curves.paths import Path, bezier_path, spline_path
from ..curves.profile_runs import bezier_chain, smooth_runs, spline_chain
from ..validation import finite_array, positive_number
from .revolution import revolve
from .tube_bodies import tube_about


def revolution(
    profile: ArrayLike, closed: bool = False, sharp: Sequence[bool] | Bools | None = None
) -> GridComplex:
    """Return the boundary of a profile in (r, z) turned about the z axis.

    Ends on the axis close the solid; ends off it leave it open.  Which way it is drawn does not matter where
    it is closed.

    Args:
        profile: points (n, 2), joined by a smooth spline; or Bezier pieces (m, p + 1, 2) of degree p, three
            or more, with corners where their tangents turn; rational ones have weights as a third coordinate.
        closed: whether the last point joins the first.
        sharp: for points, at which ones (n,) the spline is broken.

    Raises:
        SurfaceError: for an array of another shape, and for a profile that bounds nothing.
    """
    points = finite_array("revolution", "profile", profile)
    if _is_pieces(points, 2):
        control, weights = _unweighted("revolution", "profile", points, 2)
        chain = bezier_chain(control, closed, weights)
    elif points.ndim == 2 and points.shape[1] == 2 and len(points) >= (3 if closed else 2):
        chain = spline_chain(points, _sharp_flags(sharp, len(points)), closed)
    else:
        expected = "expected points (n, 2), two at least, or Bezier pieces (m, p + 1, 2), p three or more"
        raise SurfaceError("revolution", "profile", f"found an array of shape {points.shape}", expected)
    return revolve("revolution", smooth_runs(chain), chain.ring)


def _sharp_flags(sharp: Sequence[bool] | Bools | None, count: int) -> Bools:
    flags = np.zeros(count, dtype=np.bool_) if sharp is None else np.asarray(sharp, dtype=np.bool_)
    if flags.shape != (count,):
        expected = f"expected one flag for each of the {count} points"
        raise SurfaceError("revolution", "sharp", f"found an array of shape {flags.shape}", expected)
    return flags


def tube(path: Path | ArrayLike, radius: float, closed: bool = False) -> GridComplex:
    """Return the boundary of a tube of constant radius: closed where its path is, else with round ends.

    Args:
        path: a Path; or points (n, 3) joined by a smooth spline; or Bezier pieces (m, p + 1, 3) without
            corners, of degree p, three or more; rational ones have weights as a fourth coordinate.
        radius: scene units.
        closed: whether the last point joins the first.

    Raises:
        SurfaceError: for an array of another shape, and for a path that bends more tightly than the radius.
    """
    r = positive_number("tube", "radius", radius)
    return tube_about(path if isinstance(path, Path) else _path_of(path, closed), r)


def _path_of(path: ArrayLike, closed: bool) -> Path:
    points = finite_array("tube", "path", path)
    if _is_pieces(points, 3):
        control, weights = _unweighted("tube", "path", points, 3)
        if np.any((control == control[:, :1]).all(axis=(1, 2))):
            raise SurfaceError("tube", "path", "has a piece of no length", "remove it, or give it handles")
        return bezier_path(control, closed, weights)
    if points.ndim == 2 and points.shape[1] == 3 and len(points) >= (3 if closed else 2):
        following = np.diff(points, axis=0, append=points[:1] if closed else points[:0])
        if np.any((following == 0.0).all(axis=1)):
            raise SurfaceError("tube", "path", "two successive points coincide", "remove one of them")
        return spline_path(points, closed)
    expected = "expected points (n, 3), two at least, or Bezier pieces (m, p + 1, 3), p three or more"
    raise SurfaceError("tube", "path", f"found an array of shape {points.shape}", expected)


def _is_pieces(points: Floats, dimension: int) -> bool:
    """Return whether an array has Bezier pieces of degree three or more, with weights or without."""
    pieces = points.ndim == 3 and len(points) > 0 and points.shape[1] > CUBIC
    return pieces and points.shape[2] in (dimension, dimension + 1)


def _unweighted(kind: str, name: str, pieces: Floats, dimension: int) -> tuple[Floats, Floats | None]:
    """Return the points (m, p + 1, d) and the weights (m, p + 1) of pieces, None for those without.

    Raises:
        SurfaceError: for weights that are not positive.
    """
    if pieces.shape[2] == dimension:
        return pieces, None
    weights = pieces[..., dimension]
    if not (weights > 0.0).all():
        raise SurfaceError(kind, name, f"has a weight of {weights.min():g}", "make all weights positive")
    return pieces[..., :dimension], weights
