"""What walks over faces of many patches must satisfy, whatever the patches are made of."""

import numpy as np

from physplace_addon.core.arrays import Bools, Floats
from physplace_addon.core.surfaces.bezier.sheet import BezierSheet
from physplace_addon.core.surfaces.geometry import FaceGeometry
from tests.core.surfaces.bezier.patched_bodies import samples


def points(sheet: BezierSheet, uv: Floats) -> Floats:
    """The points (k, 3) of a face at parameters (k, 2)."""
    return sheet.geometry(np.zeros(len(uv), dtype=np.intp), uv).point


def beside(g: FaceGeometry, target: Floats) -> Floats:
    """How far targets are off the perpendiculars at evaluated points (k,)."""
    result: Floats = np.linalg.norm(np.einsum("kai,ki->ka", g.frame, target - g.point), axis=1)
    return result


def far_from_open_sides(sheet: BezierSheet, uv: Floats, margin: float) -> Bools:
    """Tell which parameters (k, 2) are farther than a margin from every side without a smooth join."""
    patch, at = sheet.layout.patch_parameters(uv)
    free = np.ones(len(uv), dtype=bool)
    for side in range(4):
        share = at[:, side // 2] if side % 2 == 0 else 1.0 - at[:, side // 2]
        pole = (side == 3) & sheet.nets.polar[patch]
        free &= (share > margin) | sheet.joins.smooth[patch, side] | pole
    return free


def moves_to_first_order(sheet: BezierSheet, rng: np.random.Generator, *, tip: bool) -> None:
    """The error of a move falls with the square of the step, from sides and corners as well as from within.

    tip: a pole is a vertex, so that there is no tangent plane to walk in.
    """
    face, uv = samples(sheet, 400, rng)
    patch, at = sheet.layout.patch_parameters(uv)
    at[::2] = np.clip(np.round(at[::2]) + rng.normal(size=(200, 2)) * 1e-4, 0, 1)
    if tip:
        at[:, 1] = np.minimum(at[:, 1], 0.9)
    uv = sheet.layout.face_parameters(patch, at)
    assert (sheet.move(face, uv, np.zeros((400, 3))) == uv).all()
    g = sheet.geometry(face, uv)
    direction = rng.normal(size=(400, 3))
    tangential = direction - np.einsum("ki,ki->k", direction, g.normal)[:, None] * g.normal
    errors = []
    for h in (1e-3, 1e-4):
        moved = sheet.move(face, uv, h * direction)
        chosen = far_from_open_sides(sheet, moved, 1e-9)
        miss = np.linalg.norm(points(sheet, moved) - g.point - h * tangential, axis=1)
        errors.append(np.quantile(miss[chosen], 0.9))
    assert errors[1] < 2e-2 * errors[0] + 1e-13


def leaves_its_pole_in_any_direction(sheet: BezierSheet) -> None:
    """A step from the first pole, as small as can be, ends beside the point it was meant for."""
    pole, angle = sheet.poles[0], np.linspace(0.0, 6.2, 40)
    number = int(np.nonzero(sheet.pole_of == 0)[0][0])
    for size in (1e-2, 1e-6, 1e-12):
        step = size * (np.cos(angle)[:, None] * pole.plane[0] + np.sin(angle)[:, None] * pole.plane[1])
        uv = sheet.layout.face_parameters(np.full(40, number), np.tile([0.37, 1.0], (40, 1)))
        g = sheet.geometry(np.zeros(40, dtype=np.intp), sheet.move(np.zeros(40, dtype=np.intp), uv, step))
        assert beside(g, pole.point + step).max() < max(0.2 * size * size, 4e-15)
