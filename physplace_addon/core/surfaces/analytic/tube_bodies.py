"""Tubes as bodies: their checks, their reference direction, and their exact mass.

Over the disk across the path at c, the volume element of the offset x is (1 - k . x) dA ds, k the curvature
vector. With A = pi r^2, J = pi r^4 / 4 and P = 1 - T T', per unit of length

    volume A,    first moment A c - J k,    second moment A c c' + J P - J (c k' + k c').

A half-ball end adds 2/3 pi r^3, centred 3/8 r beyond the end, with second moment 2/15 pi r^5 about the
ball's centre.
"""

from __future__ import annotations

import math

import numpy as np

from ...arrays import Floats
from ...errors import SurfaceError
from ...mesh.mass import MassProperties
from ...vectors import length, sines_of, unit
from ..complex import GridComplex, featureless
from ..curves.paths import Path, PathJet
from ..quadrature import converged_integrals, gauss_rule, solid_of_moments
from .tube import Tube

# Points of a path that are looked at for tight bends and cusps: 2048 show a bend of a fiftieth of a turn.
_SAMPLES = 2048
_DIRECTIONS = 400  # directions of a half-sphere that are tried as reference: they lie some 7 degrees apart
# Sine of the angle to all tangents at which an axis is taken at once, so that plain paths have plain frames.
_CLEAR_ENOUGH = 0.6


def tube_about(path: Path, radius: float) -> GridComplex:
    """Return the boundary of a tube: closed where the path is, else with round ends.

    Args:
        path: a smooth curve.
        radius: scene units.

    Raises:
        SurfaceError: where the path has a corner or stands still, or bends more tightly than the radius.
    """
    t, jet_points = _samples(path)
    jet = path.jet(t)
    speed = length(jet.first)
    if float(speed.min()) <= 1e-9 * float(speed.max()):
        raise SurfaceError("tube", "path", "has a cusp, where it stands still", "give its points handles")
    _check_joints(path)
    tightest = float(length(_curvature_vector(jet)).max())
    if radius * tightest >= 1.0:
        found = f"found {radius:g}, but the path bends with a radius of {1.0 / tightest:g}"
        raise SurfaceError("tube", "radius", found, "expected less than the path's tightest bend")
    tube = Tube(path, radius, reference_direction(jet.first / speed[:, None]))
    size = 0.5 * float(np.linalg.norm(np.ptp(jet_points, axis=0) + 2.0 * radius))
    return featureless("tube", tube, tube_mass(path, radius), size)


def _samples(path: Path) -> tuple[Floats, Floats]:
    """Return parameters on all analytic pieces, close to both ends of each, and their points."""
    breaks = path.rule_breaks
    per_piece = max(9, _SAMPLES // (len(breaks) - 1))
    fraction = np.linspace(1e-12, 1.0 - 1e-12, per_piece)
    t = (breaks[:-1, None] + np.diff(breaks)[:, None] * fraction).reshape(-1)
    return t, path.jet(t).point


def _check_joints(path: Path) -> None:
    """Raise SurfaceError where the tangents on the two sides of a break differ."""
    inner = path.breaks if path.domain.periodic else path.breaks[1:-1]
    if len(inner) == 0:
        return
    own = path.domain
    step = 1e-9 * own.length
    before = path.jet(own.contain(np.where(inner == own.lower, own.upper, inner) - step))
    after = path.jet(own.contain(np.where(inner == own.upper, own.lower, inner) + step))
    turn = length(unit(before.first) - unit(after.first))
    gap = length(before.point - after.point)
    if float(gap.max()) > 1e-6 * float(length(before.first).max()) * own.length:
        raise SurfaceError("tube", "path", "its ends do not meet", "close the curve, or leave it open")
    if float(turn.max()) > 1e-5:
        found = f"has a corner of {math.degrees(float(turn.max())):.3g} degrees"
        raise SurfaceError("tube", "path", found, "align the handles of its points")


def reference_direction(tangents: Floats) -> Floats:
    """Return a unit vector (3,) well away from all tangents (k, 3): an axis if one will do."""
    axes = np.eye(3)[[2, 0, 1]]
    clearance = _clearance(axes, tangents)
    if float(clearance.max()) > _CLEAR_ENOUGH:
        best: Floats = axes[int(np.argmax(clearance > _CLEAR_ENOUGH))]
        return best
    index = np.arange(_DIRECTIONS) + 0.5
    z, angle = 1.0 - index / _DIRECTIONS, math.pi * (1.0 + math.sqrt(5.0)) * index
    ring = np.sqrt(1.0 - z * z)
    candidates = np.concatenate([axes, np.column_stack([ring * np.cos(angle), ring * np.sin(angle), z])])
    best = candidates[int(np.argmax(_clearance(candidates, tangents)))]
    return best


def _clearance(directions: Floats, tangents: Floats) -> Floats:
    """Return the least sine (k,) of the angles between each direction and the tangents."""
    return sines_of(np.max(np.abs(directions @ tangents.T), axis=1))


def tube_mass(path: Path, radius: float) -> MassProperties:
    """Return the mass of the solid tube: one quadrature along the path, plus half-balls at open ends."""
    breaks = path.rule_breaks
    middle = path.jet(0.5 * (breaks[:-1] + breaks[1:])).point.mean(axis=0)

    def integrals(nodes: int) -> Floats:
        per_piece = max(4, nodes // (len(breaks) - 1)) if len(breaks) > 9 else nodes
        t, weight = gauss_rule(breaks, per_piece)
        return _moments(path, radius, t, weight, middle)

    total = converged_integrals(integrals)
    if not path.domain.periodic:
        total = total + _end_moments(path, radius, middle)
    return solid_of_moments(total).moved(middle)


def _moments(path: Path, radius: float, t: Floats, weight: Floats, origin: Floats) -> Floats:
    """Return volume, first and second moment about an origin (3,), (13,), of the tube without ends."""
    jet = path.jet(t)
    speed = length(jet.first)
    tangent = jet.first / speed[:, None]
    c, k = jet.point - origin, _curvature_vector(jet)
    ds = weight * speed
    area, quarter = math.pi * radius**2, 0.25 * math.pi * radius**4
    first = ds @ (area * c - quarter * k)
    mixed = (ds[:, None] * c).T @ k
    across = float(ds.sum()) * np.eye(3) - (ds[:, None] * tangent).T @ tangent
    second = area * (ds[:, None] * c).T @ c + quarter * (across - mixed - mixed.T)
    return np.concatenate([[area * float(ds.sum())], first, second.reshape(-1)])


def _end_moments(path: Path, radius: float, origin: Floats) -> Floats:
    """Return volume, first and second moment about an origin (3,), (13,), of the two half-balls."""
    jet = path.jet(np.array([path.domain.lower, path.domain.upper]))
    volume = 2.0 / 3.0 * math.pi * radius**3
    total = np.zeros(13)
    for center, outward in zip(jet.point - origin, unit(jet.first) * np.array([[-1.0], [1.0]]), strict=True):
        offset = 0.375 * radius * outward
        mixed = np.outer(center, offset)
        second = np.outer(center, center) + mixed + mixed.T + 0.2 * radius**2 * np.eye(3)
        total += volume * np.concatenate([[1.0], center + offset, second.reshape(-1)])
    return total


def _curvature_vector(jet: PathJet) -> Floats:
    square = (jet.first * jet.first).sum(axis=1)[:, None]
    along = (jet.second * jet.first).sum(axis=1)[:, None] / square
    bend: Floats = (jet.second - along * jet.first) / square
    return bend
