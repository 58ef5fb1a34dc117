"""Mass properties of exact surfaces by quadrature of high order.

*Solids.*  With f homogeneous of degree m, div(x f) = (3 + m) f, so over a solid bounded by S with outward
normal n

    volume = 1/3 flux of x,   first moment = 1/4 flux of x x,   second moment = 1/5 flux of x (x x').

Solids of revolution reduce to one dimension, V = pi int r^2 dz and so on.  The number of Gauss-Legendre nodes
is doubled until two sums agree; both rules converge spectrally on analytic pieces.

*Sheets* are integrated over their parameters, dA = |S_u x S_v| du dv, which has no closed form: parts where
two rules disagree are cut, until the parts are many.

Volumes are in cubed, areas in squared scene units.  Moments are about a place near the body, so that they
keep their digits however far it is from the origin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import roots_legendre

from ..arrays import Floats
from ..mesh.mass import AREA, VOLUME, MassProperties
from ..vectors import cross, dot, length
from .base import Surface
from .curves.profiles import Profile, ProfilePoint

_RELATIVE = 1e-14  # change of an integral over the largest one, at which it has converged: rounding
_FIRST_NODES, _MOST_NODES = 16, 1024  # a piece; 1024 follow some 300 waves within one piece
_SHEET_NODES = 10, 16  # nodes in each direction of the rough and of the fine rule
# Largest difference of a part's two rules, over the whole integral: the finer rule is then far better than
# that, and 2048 such parts still sum to less than 1e-8.
_AGREED = 1e-12
_CUTS, _MOST_PIECES = 12, 2048  # cuts of one rectangle, and rectangles in all: a second or two


def converged_integrals(integrals: Callable[[int], Floats], most: int = _MOST_NODES) -> Floats:
    """Return integrals(nodes), with nodes doubled until the relative change is at the level of rounding.

    Args:
        integrals: from a number of nodes to some integrals (m,).
        most: the number of nodes at which doubling ends.
    """
    nodes = _FIRST_NODES
    previous = integrals(nodes)
    while nodes < most:
        nodes *= 2
        current = integrals(nodes)
        if np.all(np.abs(current - previous) <= _RELATIVE * np.abs(current).max()):
            return current
        previous = current
    return previous


def gauss_rule(breaks: Floats, nodes: int) -> tuple[Floats, Floats]:
    """Return Gauss-Legendre nodes and weights, each (m nodes,), on the m pieces between breaks (m + 1,)."""
    x, w = roots_legendre(nodes)
    half = 0.5 * np.diff(breaks)[:, None]
    at = breaks[:-1, None] + half * (1.0 + x)
    return at.reshape(-1), (half * w).reshape(-1)


def unit_square_rule(nodes: int) -> tuple[Floats, Floats]:
    """Return Gauss-Legendre nodes (nodes^2, 2) of the unit square, u outermost, and weights (nodes^2,)."""
    t, weight = gauss_rule(np.array([0.0, 1.0]), nodes)
    at = np.stack(np.meshgrid(t, t, indexing="ij"), axis=-1).reshape(-1, 2)
    weights: Floats = (weight[:, None] * weight).ravel()
    return at, weights


def flux_moments(point: Floats, du: Floats, dv: Floats, weight: Floats) -> Floats:
    """Return volume, first moments (3) and second moments (9) of a solid as one array (13,).

    Args:
        point: nodes (k, 3) on the boundary of the solid.
        du, dv: tangents (k, 3) there, du x dv outward.
        weight: of the nodes (k,), per unit of the parameters.
    """
    flux = weight * dot(point, cross(du, dv))
    second = ((0.2 * flux)[:, None] * point).T @ point
    return np.concatenate([[flux.sum() / 3.0], 0.25 * flux @ point, second.ravel()])


def solid_of_moments(moments: Floats) -> MassProperties:
    """Return the mass of the solid with the moments (13,) of `flux_moments`."""
    return MassProperties.from_moments(float(moments[0]), moments[1:4], moments[4:].reshape(3, 3), VOLUME)


def sheet_moments(point: Floats, share: Floats) -> Floats:
    """Return the sums (m, 4, 4) of (1, x) (1, x)' over nodes x (m, q, 3) that stand for areas (m, q)."""
    extended = np.concatenate([np.ones((*point.shape[:2], 1)), point], axis=2)
    moments: Floats = (share[..., None] * extended).transpose(0, 2, 1) @ extended
    return moments


def adaptive_sheet(
    parts: Floats,
    integrals: Callable[[Floats], tuple[Floats, Floats]],
    cut: Callable[[Floats], Floats],
    cuts: int,
    most: float = math.inf,
) -> MassProperties:
    """Return the mass, basis "area", of a sheet of parts, those cut again whose two rules disagree.

    Args:
        parts: of the sheet (m, ...).
        integrals: from parts to their moments (m, 4, 4), as of `sheet_moments`, by a rough and a fine rule.
        cut: from parts to smaller ones that cover the same.
        cuts: how often a part may be cut.
        most: how many parts may be integrated in all.
    """
    total, done = np.zeros((4, 4)), 0
    for _ in range(cuts):
        rough, fine = integrals(parts)
        largest = np.abs(total + fine.sum(axis=0)).max()
        agreed = np.abs(fine - rough).max(axis=(1, 2)) <= _AGREED * largest
        total = total + fine[agreed].sum(axis=0)
        left = fine[~agreed].sum(axis=0)
        done += len(parts)
        parts = cut(parts[~agreed])
        if not 0 < len(parts) <= most - done:
            break
    total = total + left
    return MassProperties.from_moments(float(total[0, 0]), total[0, 1:], total[1:, 1:], AREA)


def revolution_mass(profiles: Sequence[Profile], closed: bool) -> MassProperties:
    """Return the mass of the solid (closed) or of the sheet (open) that profiles sweep about the z axis."""
    level = float(np.mean([profile.end(upper)[0][1] for profile in profiles for upper in (False, True)]))

    def integrals(nodes: int) -> Floats:
        moments = _solid_integrands if closed else _sheet_integrands
        total: Floats = np.sum([_along(profile, nodes, moments, level) for profile in profiles], axis=0)
        return total

    measure, height, radial, axial = converged_integrals(integrals).tolist()
    first = np.array([0.0, 0.0, height])
    second = np.diag([radial, radial, axial])
    found = MassProperties.from_moments(measure, first, second, VOLUME if closed else AREA)
    return found.moved(np.array([0.0, 0.0, level]))


def _along(
    profile: Profile, nodes: int, moments: Callable[[ProfilePoint, Floats], Floats], level: float
) -> Floats:
    at, weight = gauss_rule(profile.breaks, nodes)
    p = profile.evaluate(at)
    total: Floats = moments(p, p.z - level) @ weight
    return total


def _solid_integrands(p: ProfilePoint, h: Floats) -> Floats:
    """Return the integrands (4, k) of volume, h, x^2 (= y^2) and h^2 over the disks of the solid at heights
    h (k,).
    """
    disk = math.pi * p.r * p.r * p.z1
    return np.array([disk, disk * h, 0.25 * disk * p.r * p.r, disk * h * h])


def _sheet_integrands(p: ProfilePoint, h: Floats) -> Floats:
    """Return the integrands (4, k) of area, h, x^2 (= y^2) and h^2 over the circles of the sheet at heights
    h (k,).
    """
    circle = 2.0 * math.pi * p.r * np.hypot(p.r1, p.z1)
    return np.array([circle, circle * h, 0.5 * circle * p.r * p.r, circle * h * h])


def face_sheet_mass(surface: Surface) -> MassProperties:
    """Return the mass, basis "area", of the one face of a surface as a sheet of uniform thickness."""
    pieces = surface.pieces
    middle = surface.points(np.zeros(len(pieces), dtype=np.intp), pieces.mean(axis=1)).mean(axis=0)

    def integrals(rectangles: Floats) -> tuple[Floats, Floats]:
        rough, fine = (_rectangle_moments(surface, rectangles, nodes, middle) for nodes in _SHEET_NODES)
        return rough, fine

    return adaptive_sheet(pieces, integrals, _quartered, _CUTS, _MOST_PIECES).moved(middle)


def _rectangle_moments(surface: Surface, rectangles: Floats, nodes: int, origin: Floats) -> Floats:
    """Return the integrals (m, 4, 4) of (1, x) (1, x)' dA, x from an origin (3,), over rectangles (m, 2, 2)
    of parameters.
    """
    square, weight = unit_square_rule(nodes)
    size = rectangles[:, 1] - rectangles[:, 0]
    uv = (rectangles[:, None, 0] + square * size[:, None]).reshape(-1, 2)
    found = surface.derivatives(np.zeros(len(uv), dtype=np.intp), uv)
    share = (size.prod(axis=1)[:, None] * weight).ravel()
    share = share * length(cross(found.du, found.dv))
    count = len(rectangles)
    return sheet_moments((found.point - origin).reshape(count, -1, 3), share.reshape(count, -1))


def _quartered(rectangles: Floats) -> Floats:
    """Return rectangles (4 m, 2, 2): each of those given (m, 2, 2) cut into four."""
    lower, half = rectangles[:, 0], 0.5 * (rectangles[:, 1] - rectangles[:, 0])
    corners = [lower + half * np.array(shift) for shift in ((0, 0), (0, 1), (1, 0), (1, 1))]
    return np.concatenate([np.stack([corner, corner + half], axis=1) for corner in corners])
