"""Bezier patches: exact derivatives, normals and curvature, up to their poles."""

import mpmath as mp
import numpy as np
import pytest
from mpmath import matrix, mpf

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces.bezier.nets import BezierNets
from physplace_addon.core.surfaces.bezier.sheet import BezierSheet
from tests.core.surfaces.bezier.patched_bodies import BODIES, partial, samples, sheets

ORDERS = {"point": (0, 0), "du": (1, 0), "dv": (0, 1), "duu": (2, 0), "duv": (1, 1), "dvv": (0, 2)}

each_sheet = pytest.mark.parametrize(("name", "sheet"), sheets(), ids=[name for name, _ in sheets()])


def numbers(vector: matrix) -> Floats:
    return np.array([float(x) for x in vector])


def mp_cross(a: matrix, b: matrix) -> matrix:
    return mp.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


@each_sheet
def test_derivatives_are_exact_to_second_order(
    name: str, sheet: BezierSheet, rng: np.random.Generator
) -> None:
    face, uv = samples(sheet, 3, rng)
    ours = sheet.derivatives(face, uv)
    for row, (patch, at) in enumerate(zip(*sheet.layout.patch_parameters(uv), strict=True)):
        assert isinstance(sheet.nets, BezierNets)
        net, (u, v) = sheet.nets.control[patch], (mp.mpf(x) for x in at.tolist())
        for part, order in ORDERS.items():
            expected = numbers(partial(net, u, v, order))
            scale = 1.0 + np.abs(net).max()
            np.testing.assert_allclose(getattr(ours, part)[row], expected, rtol=0, atol=1e-13 * scale)


@each_sheet
def test_geometry_agrees_with_the_derivatives(
    name: str, sheet: BezierSheet, rng: np.random.Generator
) -> None:
    face, uv = samples(sheet, 300, rng, margin=0.01)
    g, d = sheet.geometry(face, uv), sheet.derivatives(face, uv)
    np.testing.assert_allclose(g.point, d.point, rtol=0, atol=1e-14)
    np.testing.assert_allclose(
        g.frame @ g.frame.transpose(0, 2, 1), np.tile(np.eye(2), (300, 1, 1)), atol=1e-14
    )
    normal = np.cross(d.du, d.dv)
    np.testing.assert_allclose(g.normal, normal / np.linalg.norm(normal, axis=1)[:, None], atol=1e-11)
    second = np.stack([d.duu, d.duv, d.duv, d.dvv], axis=1)
    form = np.einsum("kai,ki->ka", second, g.normal).reshape(-1, 2, 2)
    to_frame = np.linalg.inv(np.einsum("kpi,kai->kpa", np.stack([d.du, d.dv], axis=1), g.frame))
    expected = to_frame @ form @ to_frame.transpose(0, 2, 1)
    scale = 1.0 + np.abs(expected).max(axis=(1, 2))[:, None, None]
    np.testing.assert_allclose(g.curvature / scale, expected / scale, rtol=0, atol=1e-8)


@pytest.mark.parametrize("w", [1e-2, 1e-4, 1e-5, 1e-7, 1e-9, 0.0])
@pytest.mark.parametrize("name", ["pebble", "lunes", "pot", "lid"])
def test_normal_and_curvature_are_right_up_to_a_smooth_pole(
    name: str, w: float, rng: np.random.Generator
) -> None:
    """Against 60 digits at the same meridian; at the pole itself, against a place 1e-12 away."""
    sheet = BODIES[name].surfaces[0]
    for patch in np.nonzero(sheet.nets.polar)[0][:2].tolist():
        u = float(rng.uniform(0.1, 0.9))
        uv = sheet.layout.face_parameters(np.array([patch]), np.array([[u, 1.0 - w]]))
        g = sheet.geometry(np.zeros(1, dtype=np.intp), uv)
        v = 1 - mp.mpf(1e-12) if w == 0.0 else mp.mpf(1.0 - w)
        assert isinstance(sheet.nets, BezierNets)
        normal, tensor = reference_curvature(sheet.nets.control[patch], mp.mpf(u), v)
        near = 1e-12 if w > 0.0 else 1e-10
        np.testing.assert_allclose(g.normal[0], normal, rtol=0, atol=near)
        ours = g.frame[0].T @ g.curvature[0] @ g.frame[0]
        np.testing.assert_allclose(ours, tensor, rtol=0, atol=2e-5 * np.abs(tensor).max())


def reference_curvature(net: Floats, u: mpf, v: mpf) -> tuple[Floats, Floats]:
    """Unit normal, and the second fundamental form as a symmetric tensor (3, 3), in 60 digits."""
    with mp.workdps(60):
        d = {part: partial(net, u, v, order) for part, order in ORDERS.items()}
        normal = mp_cross(d["du"], d["dv"])
        normal /= mp.norm(normal)
        first = mp.matrix(2, 2)
        form = mp.matrix(2, 2)
        for i, a in enumerate(("du", "dv")):
            for j, b in enumerate(("du", "dv")):
                first[i, j] = mp.fdot(d[a], d[b])
        form[0, 0], form[1, 1] = mp.fdot(normal, d["duu"]), mp.fdot(normal, d["dvv"])
        form[0, 1] = form[1, 0] = mp.fdot(normal, d["duv"])
        dual = first**-1 * mp.matrix([list(d["du"]), list(d["dv"])])
        tensor = dual.T * form * dual
        return numbers(normal), np.array([[float(tensor[i, j]) for j in range(3)] for i in range(3)])
