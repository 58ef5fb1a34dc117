"""Friction of Coulomb's kind at contacts (Snyder 1995, section 5.2, there by least squares).

A contact i holds with a force F_i (3,) in the cone of its normal n_i: |F - (F . n) n| <= mu F . n.  Its map
G_i (d, 3) takes the force to the wrench it exerts: on one body G_i = (1, [r_i]x), with the arm r_i / R; on m
bodies that touch each other the wrenches are stacked, d = 6 m, and a contact between two of them pushes both.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..contact.features import cross, dot
from .nonnegative import nonnegative_least_squares

_FACETS = 8  # friction directions that every contact is given at once
_RAYS = 12  # rounds in which a contact is given the direction that opposes its slip
_NO_RESIDUAL = 1e-9


def contact_maps(arms: Floats) -> Floats:
    """Return the maps G (k, 6, 3), F to (F, r x F / R), of forces on one body at arms r / R (k, 3)."""
    maps = np.zeros((len(arms), 6, 3))
    maps[:, :3] = np.eye(3)
    maps[:, 3:] = np.cross(np.asarray(arms)[:, None, :], np.eye(3)).transpose(0, 2, 1)
    return maps


def required_friction(wrench: Floats, maps: Floats, normals: Floats) -> float:
    """Return the least Coulomb coefficient with which contacts hold the wrench; 0 without friction, inf if
    none does.

    wrench (d,); maps G (k, d, 3); normals n (k, 3), unit.  For a coefficient mu the forces f n + mu f t,
    |t| <= 1, span a cone that is approximated from inside by rays, to which the ray that opposes the
    residual's slip is added again and again; mu itself is found by bisection.
    """
    if len(normals) == 0:
        return float("inf")
    if _held(wrench, maps, normals, 0.0):
        return 0.0
    upper = 1e-3
    while not _held(wrench, maps, normals, upper):
        upper *= 4.0
        if upper > 1e4:
            return float("inf")
    lower = 0.0
    while upper - lower > 1e-4 * upper:
        middle = 0.5 * (lower + upper)
        lower, upper = (lower, middle) if _held(wrench, maps, normals, middle) else (middle, upper)
    return upper


def _held(wrench: Floats, maps: Floats, normals: Floats, mu: float) -> bool:
    rays = _wrenches(maps, normals)
    if mu > 0.0:
        u, v = tangents(normals)
        for angle in np.arange(_FACETS) * (2.0 * np.pi / _FACETS):
            rays = np.vstack([rays, _wrenches(maps, normals + mu * (np.cos(angle) * u + np.sin(angle) * v))])
    for _ in range(_RAYS):
        forces = nonnegative_least_squares(rays.T, -wrench)
        residual = wrench + rays.T @ forces
        size = float(np.sqrt(residual @ residual))
        if size < _NO_RESIDUAL:
            return True
        if mu == 0.0:
            return False
        slip = maps.transpose(0, 2, 1) @ residual
        slip = slip - dot(slip, normals)[:, None] * normals
        length = np.sqrt(dot(slip, slip))
        rows = length > 1e-12
        opposing = normals[rows] - mu * slip[rows] / length[rows, None]
        used = forces > 0.0
        rays = np.vstack([rays[used], _wrenches(maps[rows], opposing), rays[~used][: 9 * len(normals)]])
    return size < 1e-6


def _wrenches(maps: Floats, forces: Floats) -> Floats:
    """Return the wrenches (k, d) of forces (k, 3)."""
    wrenches: Floats = (maps @ forces[:, :, None])[:, :, 0]
    return wrenches


def tangents(normals: Floats) -> tuple[Floats, Floats]:
    """Return two unit tangents (k, 3) that make a right-handed frame with each unit normal (k, 3)."""
    axis = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    u = cross(normals, axis)
    u /= np.sqrt(dot(u, u))[:, None]
    return u, cross(normals, u)
