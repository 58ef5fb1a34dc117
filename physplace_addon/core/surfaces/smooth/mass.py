"""The mass of what curved faces enclose, by the fluxes of `quadrature` through them.

A rule of eight nodes a direction integrates the polynomial part exactly; the rest is small, and its
derivatives do not go on at the corners: more nodes reduce what it errs by with their sixth power.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...mesh.mass import VOLUME, MassProperties
from ...vectors import cross, dot
from ..bernstein import bernstein
from ..gregory import GregoryNets, factors
from ..quadrature import pieces_rule

_NODES = 12
_AT_ONCE = 1024  # patches


def solid_mass(nets: GregoryNets) -> MassProperties:
    """Return the mass of the solid inside closed patches that face outwards."""
    centre = nets.control.mean(axis=(0, 1, 2))
    total = sum((_moments(nets, rows, centre) for rows in _batches(len(nets))), np.zeros(13))
    inner = MassProperties.from_moments(float(total[0]), total[1:4], total[4:].reshape(3, 3), VOLUME)
    place = np.eye(4)
    place[:3, 3] = centre
    return inner.transformed(place)


def _batches(count: int) -> list[slice]:
    return [slice(start, start + _AT_ONCE) for start in range(0, count, _AT_ONCE)]


def _moments(nets: GregoryNets, rows: slice, centre: Floats) -> Floats:
    """Volume, first moments (3) and second moments (9) about a centre, as far as some patches tell."""
    t, weight = pieces_rule(np.array([0.0, 1.0]), _NODES)
    basis = bernstein(t, 1)
    twists = nets.twists[rows].reshape(-1, 4, 3)
    control = nets.control[rows] - centre
    at = np.stack(np.meshgrid(t, t, indexing="ij"), axis=-1).reshape(-1, 2)
    point, du, dv = (
        (
            np.einsum("ai,bj,mijx->mabx", basis[:, a], basis[:, b], control, optimize=True).reshape(
                len(control), -1, 3
            )
            + factors(at, 1)[a, b] @ twists
        ).reshape(-1, 3)
        for a, b in ((0, 0), (1, 0), (0, 1))
    )
    flux = np.tile(np.outer(weight, weight).ravel(), len(control)) * dot(point, cross(du, dv))
    second = ((0.2 * flux)[:, None] * point).T @ point
    return np.concatenate([[flux.sum() / 3.0], 0.25 * flux @ point, second.ravel()])
