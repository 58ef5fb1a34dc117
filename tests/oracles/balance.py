"""Force balance from contact points, normals and forces alone: sums, and the best pushing forces."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls


def residual(positions, normals, forces, centre, gravity=(0, 0, -1), radius=1.0):
    """Norms of the total force and of the total torque / radius about the centre, in units of the weight."""
    push = np.asarray(normals) * np.asarray(forces)[:, None]
    torque = np.cross(np.asarray(positions) - centre, push).sum(axis=0) / radius
    return float(np.linalg.norm(push.sum(axis=0) + gravity)), float(np.linalg.norm(torque))


def best_residual(positions, normals, centre, gravity=(0, 0, -1), radius=1.0) -> float:
    """The least norm of (force, torque / radius) that any pushing forces at these contacts leave."""
    arms = (np.asarray(positions) - centre) / radius
    columns = np.concatenate([normals, np.cross(arms, normals)], axis=1).T
    return float(nnls(columns, -np.concatenate([gravity, np.zeros(3)]))[1])


def over_support(positions, centre, gravity=(0, 0, -1)) -> bool:
    """Whether a body on a level floor has its centre of mass over the hull of its contacts (a convex
    combination).
    """
    up = -np.asarray(gravity, float)
    flat = positions - np.outer(np.asarray(positions) @ up, up)
    target = np.asarray(centre) - (np.asarray(centre) @ up) * up
    scale = max(float(np.ptp(flat, axis=0).max()), 1e-12)
    columns = np.vstack([(flat - target).T / scale, np.ones(len(flat))])
    return bool(nnls(columns, np.array([0, 0, 0, 1.0]))[1] < 1e-6)
