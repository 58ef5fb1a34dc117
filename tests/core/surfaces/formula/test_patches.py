"""Patches of formulas: exact points, derivatives and curvature up to their poles, and moves over them."""

from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
from mpmath import mpf

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces.bezier.sheet import BezierSheet
from physplace_addon.core.surfaces.formula.patches import FormulaPatches
from tests.core.surfaces.bezier.moves_over_patches import (
    leaves_its_pole_in_any_direction,
    moves_to_first_order,
)
from tests.core.surfaces.bezier.patched_bodies import samples
from tests.core.surfaces.formula.formula_bodies import NAMED, body_of, sheets
from tests.core.surfaces.point_distances import distances

AXES = np.array([1.0, 0.7, 0.4])

ORDERS = {"point": (0, 0), "du": (1, 0), "dv": (0, 1), "duu": (2, 0), "duv": (1, 1), "dvv": (0, 2)}

each_sheet = pytest.mark.parametrize(("name", "sheet"), sheets(), ids=[name for name, _ in sheets()])


def torus_point(u: mpf, v: mpf) -> tuple[mpf, mpf, mpf]:
    r = 1 + mp.mpf(0.3) * mp.cos(v)
    return r * mp.cos(u), r * mp.sin(u), mp.mpf(0.3) * mp.sin(v)


def egg_point(v: mpf, u: mpf) -> tuple[mpf, mpf, mpf]:
    s, c = mp.sin(v), mp.cos(v)
    return (
        s * (1 + mp.mpf(0.2) * c) * mp.cos(u),
        mp.mpf(0.8) * s * mp.sin(u) + mp.mpf(0.1) * s**2,
        mp.mpf(1.3) * c,
    )


@pytest.mark.parametrize(("name", "function"), [("torus", torus_point), ("egg", egg_point)])
def test_points_and_derivatives_agree_with_thirty_digits(
    name: str, function: Callable[[mpf, mpf], tuple[mpf, mpf, mpf]], rng: np.random.Generator
) -> None:
    """By the square's own parameters s and t: u and v as functions of them are those of the patch."""
    sheet = body_of(name).surfaces[0]
    face, uv = samples(sheet, 6, rng)
    ours = sheet.derivatives(face, uv)
    patches = sheet.nets
    for row, (patch, at) in enumerate(zip(*sheet.layout.patch_parameters(uv), strict=True)):
        assert isinstance(patches, FormulaPatches)
        low, high, swapped = patches.low[patch], patches.high[patch], patches.swapped[patch]

        def at_square(
            s: mpf, t: mpf, low: Floats = low, high: Floats = high, swapped: bool = swapped
        ) -> tuple[mpf, mpf, mpf]:
            own = (t, s) if swapped else (s, t)
            return function(
                *(a + (b - a) * x for a, b, x in zip(low.tolist(), high.tolist(), own, strict=True))
            )

        with mp.workdps(40):
            for part, order in ORDERS.items():
                exactly = [
                    float(mp.diff(lambda *x, i=i: at_square(*x)[i], tuple(map(mp.mpf, at.tolist())), order))
                    for i in range(3)
                ]
                near = 1e-12 * np.abs(exactly).max()
                np.testing.assert_allclose(getattr(ours, part)[row], exactly, rtol=0, atol=near)


@pytest.mark.parametrize("w", [0.3, 1e-2, 3e-3, 9e-4, 1e-5, 1e-8, 0.0])
def test_normals_and_curvature_of_an_ellipsoid_are_right_up_to_its_poles(
    w: float, rng: np.random.Generator
) -> None:
    """Against those of the implicit quadric: normal G x / |G x|, curvature -G / |G x|, G = diag(1/a^2)."""
    sheet = body_of("ellipsoid").surfaces[0]
    patch = np.repeat(np.nonzero(sheet.nets.polar)[0], 50)
    assert len(patch) == 100
    uv = sheet.layout.face_parameters(patch, np.column_stack([rng.uniform(0, 1, 100), np.full(100, 1.0 - w)]))
    g = sheet.geometry(np.zeros(100, dtype=np.intp), uv)
    gradient = g.point / AXES**2
    steep = np.linalg.norm(gradient, axis=1)[:, None]
    np.testing.assert_allclose(g.normal, gradient / steep, rtol=0, atol=2e-13)
    expected = -(g.frame / AXES**2) @ g.frame.transpose(0, 2, 1) / steep[:, None]
    np.testing.assert_allclose(g.curvature, expected, rtol=0, atol=1e-8 * np.abs(expected).max())


@each_sheet
def test_geometry_agrees_with_the_derivatives(
    name: str, sheet: BezierSheet, rng: np.random.Generator
) -> None:
    face, uv = samples(sheet, 200, rng, margin=0.05)
    g, d = sheet.geometry(face, uv), sheet.derivatives(face, uv)
    normal = np.cross(d.du, d.dv)
    np.testing.assert_allclose(g.normal, normal / np.linalg.norm(normal, axis=1)[:, None], atol=1e-12)
    second = np.stack([d.duu, d.duv, d.duv, d.dvv], axis=1)
    form = np.einsum("kai,ki->ka", second, g.normal).reshape(-1, 2, 2)
    to_frame = np.linalg.inv(np.einsum("kpi,kai->kpa", np.stack([d.du, d.dv], axis=1), g.frame))
    np.testing.assert_allclose(g.curvature, to_frame @ form @ to_frame.transpose(0, 2, 1), atol=1e-9)


@each_sheet
def test_moving_is_exact_to_first_order_across_joins_and_poles(
    name: str, sheet: BezierSheet, rng: np.random.Generator
) -> None:
    moves_to_first_order(sheet, rng, tip=name == "cone 0")


def test_a_pole_can_be_left_in_any_direction() -> None:
    leaves_its_pole_in_any_direction(body_of("egg").surfaces[0])


@pytest.mark.parametrize("name", NAMED)
def test_the_surface_lies_within_the_triangles_grown_by_their_bounds(
    name: str, rng: np.random.Generator
) -> None:
    body = body_of(name)
    for mesh in (body.tessellate((7, 4)), body.tessellate(tolerance=0.02 * body.size)):
        on_it = [sheet.derivatives(*samples(sheet, 300, rng)).point for sheet in body.surfaces]
        apart = distances(np.concatenate(on_it), mesh.points[mesh.corners])
        assert np.all((apart - mesh.bound).min(axis=1) <= 0.0)
    assert mesh.bound.max() <= 0.02 * body.size
    assert mesh.bound.max() < 6.0 * apart.min(axis=1).max() or name in (
        "cone",
        "can",
    )  # flat cells are told from their corners


@pytest.mark.parametrize("name", NAMED)
def test_edges_lie_within_their_segments_grown_by_their_bounds(name: str) -> None:
    mesh = body_of(name).tessellate((7, 4))
    for number, ((start, stop), t, bound) in enumerate(
        zip(mesh.segments, mesh.segment_t, mesh.segment_bound, strict=True)
    ):
        edge = int(mesh.segment_edge[number])
        at = np.linspace(t[0], t[1], 9)
        on_it = body_of(name).curves[edge].geometry(np.zeros(9, dtype=np.intp), at).point
        share = np.clip((on_it - start) @ (stop - start) / ((stop - start) @ (stop - start)), 0, 1)
        assert np.linalg.norm(on_it - start - share[:, None] * (stop - start), axis=1).max() <= bound
