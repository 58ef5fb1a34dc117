"""The teapot of Martin Newell (University of Utah, 1975) as 32 bicubic Bezier patches, in two bodies.

The pot is turned from a profile of four cubics (rim, shoulder, belly, foot), with a handle and a spout, each
of them a mirrored pair of strips.  The lid is turned from two.  Everything that is turned uses a quarter
circle's control points (1, 0), (1, c), (c, 1), (0, 1) times the radius, c = 0.56 (0.5625 for the knob's
widest row): nearly, not exactly, a circle.  The foot is the later addition that closes the bottom.

The lid as designed has a radius of 1.3 and would fall through the opening, whose radius is 1.38 at its
narrowest.  Here it is scaled by `LID_SCALE`, so that it goes over the rim like a cap and rests with its
hollow side on the bead, all around.
"""

from __future__ import annotations

import numpy as np

QUARTER = 0.56
LID_SCALE = 1.28

# Profiles (r, z), outside on the left when walked from the first point on; a third number is the row's own c.
POT_PROFILE = (
    ((1.4, 2.4), (1.3375, 2.53125), (1.4375, 2.53125), (1.5, 2.4)),
    ((1.5, 2.4), (1.75, 1.875), (2.0, 1.35), (2.0, 0.9)),
    ((2.0, 0.9), (2.0, 0.45), (1.5, 0.225), (1.5, 0.15)),
    ((1.5, 0.15), (1.5, 0.075), (1.425, 0.0), (0.0, 0.0)),
)
LID_PROFILE = (
    ((0.0, 3.15), (0.8, 3.15, 0.5625), (0.0, 2.85), (0.2, 2.7)),
    ((0.2, 2.7), (0.4, 2.55), (1.3, 2.55), (1.3, 2.4)),
)

# Strips in the plane y = 0: the inner and the outer line (x, z), and the half width in y of each row.
HANDLE = (
    (
        ((-1.6, 2.025), (-2.3, 2.025), (-2.7, 2.025), (-2.7, 1.8)),
        ((-1.5, 2.25), (-2.5, 2.25), (-3.0, 2.25), (-3.0, 1.8)),
        (0.3, 0.3, 0.3, 0.3),
    ),
    (
        ((-2.7, 1.8), (-2.7, 1.575), (-2.5, 1.125), (-2.0, 0.9)),
        ((-3.0, 1.8), (-3.0, 1.35), (-2.65, 0.9375), (-1.9, 0.6)),
        (0.3, 0.3, 0.3, 0.3),
    ),
)
SPOUT = (
    (
        ((1.7, 1.425), (2.6, 1.425), (2.3, 2.1), (2.7, 2.4)),
        ((1.7, 0.6), (3.1, 0.825), (2.4, 2.025), (3.3, 2.4)),
        (0.66, 0.66, 0.25, 0.25),
    ),
    (
        ((2.7, 2.4), (2.8, 2.475), (2.9, 2.475), (2.8, 2.4)),
        ((3.3, 2.4), (3.525, 2.49375), (3.45, 2.5125), (3.2, 2.4)),
        (0.25, 0.25, 0.15, 0.15),
    ),
)


def turned_nets(
    profile: tuple[
        tuple[tuple[float, float], tuple[float, ...], tuple[float, float], tuple[float, float]], ...
    ],
) -> np.ndarray:
    """Control points (4 m, 4, 4, 3) of m cubics (r, z) turned about z in four quarters, u around."""
    return np.array([_quarter(piece, number) for piece in profile for number in range(4)])


def _quarter(
    piece: tuple[tuple[float, float], tuple[float, ...], tuple[float, float], tuple[float, float]],
    number: int,
) -> np.ndarray:
    net = np.empty((4, 4, 3))
    turn = np.linalg.matrix_power(np.array([[0.0, -1.0], [1.0, 0.0]]), number)
    for j, (r, z, *own) in enumerate(piece):
        c = own[0] if own else QUARTER
        around = r * np.array([[1.0, 0.0], [1.0, c], [c, 1.0], [0.0, 1.0]])
        net[:, j, :2], net[:, j, 2] = around @ turn.T, z
    return net[::-1]


def strip_nets(
    strips: tuple[
        tuple[
            tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]],
            tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]],
            tuple[float, float, float, float],
        ],
        tuple[
            tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]],
            tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]],
            tuple[float, float, float, float],
        ],
    ],
) -> np.ndarray:
    """Control points (2 m, 4, 4, 3) of m strips and their mirror images, from the inner line to the outer."""
    nets = []
    for inner, outer, width in strips:
        net = np.empty((4, 4, 3))
        for i, (a, b, half) in enumerate(zip(inner, outer, width, strict=True)):
            net[i, :, 0] = a[0], a[0], b[0], b[0]
            net[i, :, 2] = a[1], a[1], b[1], b[1]
            net[i, :, 1] = 0.0, -half, -half, 0.0
        nets += [net[::-1], net * [1.0, -1.0, 1.0]]
    return np.array(nets)


def pot_nets() -> np.ndarray:
    """The 24 patches of the pot: rim, shoulder, belly and foot, handle, spout."""
    return np.concatenate([turned_nets(POT_PROFILE), strip_nets(HANDLE), strip_nets(SPOUT)])


def lid_nets(scale: float = 1.0) -> np.ndarray:
    """The 8 patches of the lid, scaled about the middle of its border, which is at z = 2.4."""
    centre = np.array([0.0, 0.0, 2.4])
    result: np.ndarray = centre + scale * (turned_nets(LID_PROFILE) - centre)
    return result
