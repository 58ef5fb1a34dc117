"""Mass properties of exact surfaces by quadrature of high order.

With f homogeneous of degree m, div(x f) = (3 + m) f, so over a solid bounded by S with outward normal n

    volume = 1/3 flux of x,   first moment = 1/4 flux of x x,   second moment = 1/5 flux of x (x x').

Solids of revolution reduce to one dimension, V = pi int r^2 dz and so on; smooth radial surfaces are summed
over directions, trapezium rule in azimuth and Gauss-Legendre in height, both of which converge spectrally.
The number of nodes is doubled until two sums agree.

Sheets are integrated over their parameters, dA = |S_u x S_v| du dv, which has no closed form: rectangles
where two rules disagree are cut in four, until they are many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import roots_legendre

from ..arrays import Floats
from ..mesh.mass import AREA, VOLUME, MassProperties
from ..vectors import cross, length
from .analytic.star import Directions, Star
from .base import Surface
from .curves.profiles import Profile, ProfilePoint

_RELATIVE = 1e-14
_FIRST_NODES, _MOST_NODES = 16, 1024
_SHEET_NODES = 10, 16
_AGREED = 1e-12  # of the whole, that a rectangle's two rules may differ by: the finer one is then far better
_CUTS, _MOST_PIECES = 12, 2048


def converged(integrals: Callable[[int], Floats], most: int = _MOST_NODES) -> Floats:
    """Return integrals(nodes) with nodes doubled until the relative change is at rounding level."""
    nodes = _FIRST_NODES
    previous = integrals(nodes)
    while nodes < most:
        nodes *= 2
        current = integrals(nodes)
        if np.all(np.abs(current - previous) <= _RELATIVE * np.abs(current).max()):
            return current
        previous = current
    return previous


def pieces_rule(breaks: Floats, nodes: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights (pieces * nodes,) on every piece between breaks."""
    x, w = roots_legendre(nodes)
    half = 0.5 * np.diff(breaks)[:, None]
    at = breaks[:-1, None] + half * (1.0 + x)
    return at.reshape(-1), (half * w).reshape(-1)


def revolution_mass(profiles: Sequence[Profile], closed: bool) -> MassProperties:
    """Mass of the solid (closed) or of the sheet (open) that profiles sweep about the z axis."""

    def integrals(nodes: int) -> Floats:
        moments = _solid_moments if closed else _sheet_moments
        total: Floats = np.sum([_along(profile, nodes, moments) for profile in profiles], axis=0)
        return total

    measure, height, radial, axial = converged(integrals).tolist()
    first = np.array([0.0, 0.0, height])
    second = np.diag([radial, radial, axial])
    return MassProperties.from_moments(measure, first, second, VOLUME if closed else AREA)


def _along(profile: Profile, nodes: int, moments: Callable[[ProfilePoint], Floats]) -> Floats:
    at, weight = pieces_rule(profile.breaks, nodes)
    total: Floats = moments(profile.evaluate(at)) @ weight
    return total


def _solid_moments(p: ProfilePoint) -> Floats:
    """Integrands (4, k) of volume, z, x^2 (= y^2) and z^2 over the disks of the solid."""
    disk = math.pi * p.r * p.r * p.z1
    return np.array([disk, disk * p.z, 0.25 * disk * p.r * p.r, disk * p.z * p.z])


def _sheet_moments(p: ProfilePoint) -> Floats:
    """Integrands (4, k) of area, z, x^2 (= y^2) and z^2 over the circles of the sheet."""
    circle = 2.0 * math.pi * p.r * np.hypot(p.r1, p.z1)
    return np.array([circle, circle * p.z, 0.5 * circle * p.r * p.r, circle * p.z * p.z])


def star_mass(surface: Star) -> MassProperties:
    """Mass of a star-shaped solid with a smooth gauge, by rays d over the unit sphere.

    In scaled coordinates volume = 1/3 int rho^3, first = 1/4 int rho^4 d, second = 1/5 int rho^5 d d'.
    """
    axes = surface.axes

    def integrals(nodes: int) -> Floats:
        height, weight = roots_legendre(nodes)
        azimuth = math.pi * np.arange(2 * nodes) / nodes
        u, v = np.tile(azimuth, nodes), np.repeat(np.arcsin(height), 2 * nodes)
        share = np.repeat(weight, 2 * nodes) * math.pi / nodes
        at = Directions.at(np.column_stack([u, v]))
        rho, d = 1.0 / surface.gauge.value(at), at.vector
        second = ((share * rho**5 / 5.0)[:, None] * d).T @ d
        return np.concatenate([[share @ rho**3 / 3.0], (share * rho**4 / 4.0) @ d, second.reshape(-1)])

    total = converged(integrals, most=256)
    scale = float(np.prod(axes))
    second = scale * total[4:].reshape(3, 3) * np.outer(axes, axes)
    return MassProperties.from_moments(scale * float(total[0]), scale * axes * total[1:4], second)


def area_mass(surface: Surface) -> MassProperties:
    """Mass, basis "area", of the one face of a surface as a sheet of uniform thickness."""
    pieces, total, done = surface.pieces, np.zeros((4, 4)), 0
    for _ in range(_CUTS):
        rough, fine = (_area_moments(surface, pieces, nodes) for nodes in _SHEET_NODES)
        most = np.abs(total + fine.sum(axis=0)).max()
        agreed = np.abs(fine - rough).max(axis=(1, 2)) <= _AGREED * most
        total = total + fine[agreed].sum(axis=0)
        left = fine[~agreed].sum(axis=0)
        done += len(pieces)
        pieces = _quartered(pieces[~agreed])
        if not 0 < len(pieces) <= _MOST_PIECES - done:
            break
    total = total + left
    return MassProperties.from_moments(float(total[0, 0]), total[0, 1:], total[1:, 1:], AREA)


def _area_moments(surface: Surface, pieces: Floats, nodes: int) -> Floats:
    """The integrals (m, 4, 4) of (1, x) (1, x)' dA over rectangles (m, 2, 2) of parameters."""
    t, weight = pieces_rule(np.array([0.0, 1.0]), nodes)
    square = np.stack(np.meshgrid(t, t, indexing="ij"), axis=-1).reshape(-1, 2)
    size = pieces[:, 1] - pieces[:, 0]
    uv = (pieces[:, None, 0] + square * size[:, None]).reshape(-1, 2)
    found = surface.derivatives(np.zeros(len(uv), dtype=np.intp), uv)
    share = (size.prod(axis=1)[:, None] * np.outer(weight, weight).ravel()).ravel()
    share = share * length(cross(found.du, found.dv))
    extended = np.column_stack([np.ones(len(uv)), found.point]).reshape(len(pieces), -1, 4)
    moments: Floats = (share.reshape(len(pieces), -1, 1) * extended).transpose(0, 2, 1) @ extended
    return moments


def _quartered(pieces: Floats) -> Floats:
    """Rectangles (m, 2, 2) each cut into four."""
    lower, half = pieces[:, 0], 0.5 * (pieces[:, 1] - pieces[:, 0])
    corners = [lower + half * np.array(shift) for shift in ((0, 0), (0, 1), (1, 0), (1, 1))]
    return np.concatenate([np.stack([corner, corner + half], axis=1) for corner in corners])
