"""Surfaces of formulas: exact up to their poles, joined, proven regular, and refused with the reason."""

import math

import mpmath as mp
import numpy as np
import pytest

from physplace_addon.core.bodies import exact, polyhedron
from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.placement import Placement, Settings, Status
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.formula.bodies import formula
from tests.core.formulas.random_formulas import random_formula
from tests.core.surfaces.formula_bodies import CLOSED, ELLIPSOID, NAMED, TORUS, TURN, body_of, sheets
from tests.core.surfaces.patched_bodies import samples
from tests.core.surfaces.test_tessellation import distances
from tests.core.surfaces.walks import leaves_its_pole_in_any_direction, moves_to_first_order
from tests.oracles.frames import quaternion_of, random_rotation

AXES = np.array([1.0, 0.7, 0.4])
ORDERS = {"point": (0, 0), "du": (1, 0), "dv": (0, 1), "duu": (2, 0), "duv": (1, 1), "dvv": (0, 2)}
SHEET = {"x": "u", "y": "v", "z": "0", "u": "-1, 1", "v": "-1, 1"}
each_sheet = pytest.mark.parametrize(("name", "sheet"), sheets(), ids=[name for name, _ in sheets()])


def torus_point(u, v):
    r = 1 + mp.mpf(0.3) * mp.cos(v)
    return r * mp.cos(u), r * mp.sin(u), mp.mpf(0.3) * mp.sin(v)


def egg_point(v, u):
    s, c = mp.sin(v), mp.cos(v)
    return (
        s * (1 + mp.mpf(0.2) * c) * mp.cos(u),
        mp.mpf(0.8) * s * mp.sin(u) + mp.mpf(0.1) * s**2,
        mp.mpf(1.3) * c,
    )


@pytest.mark.parametrize(("name", "function"), [("torus", torus_point), ("egg", egg_point)])
def test_points_and_derivatives_agree_with_thirty_digits(name, function, rng):
    """By the square's own parameters s and t: u and v as functions of them are those of the patch."""
    sheet = body_of(name).surfaces[0]
    face, uv = samples(sheet, 6, rng)
    ours = sheet.derivatives(face, uv)
    patches = sheet.nets
    for row, (patch, at) in enumerate(zip(*sheet.layout.patch_parameters(uv), strict=True)):
        low, high, swapped = patches.low[patch], patches.high[patch], patches.swapped[patch]

        def at_square(s, t, low=low, high=high, swapped=swapped):
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
def test_normals_and_curvature_of_an_ellipsoid_are_right_up_to_its_poles(w, rng):
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
def test_geometry_agrees_with_the_derivatives(name, sheet, rng):
    face, uv = samples(sheet, 200, rng, margin=0.05)
    g, d = sheet.geometry(face, uv), sheet.derivatives(face, uv)
    normal = np.cross(d.du, d.dv)
    np.testing.assert_allclose(g.normal, normal / np.linalg.norm(normal, axis=1)[:, None], atol=1e-12)
    second = np.stack([d.duu, d.duv, d.duv, d.dvv], axis=1)
    form = np.einsum("kai,ki->ka", second, g.normal).reshape(-1, 2, 2)
    to_frame = np.linalg.inv(np.einsum("kpi,kai->kpa", np.stack([d.du, d.dv], axis=1), g.frame))
    np.testing.assert_allclose(g.curvature, to_frame @ form @ to_frame.transpose(0, 2, 1), atol=1e-9)


@each_sheet
def test_moving_is_exact_to_first_order_across_joins_and_poles(name, sheet, rng):
    moves_to_first_order(sheet, rng, tip=name == "cone 0")


def test_a_pole_can_be_left_in_any_direction():
    leaves_its_pole_in_any_direction(body_of("egg").surfaces[0])


@pytest.mark.parametrize("name", NAMED)
def test_the_surface_lies_within_the_triangles_grown_by_their_bounds(name, rng):
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
def test_edges_lie_within_their_segments_grown_by_their_bounds(name):
    mesh = body_of(name).tessellate((7, 4))
    for number, ((start, stop), t, bound) in enumerate(
        zip(mesh.segments, mesh.segment_t, mesh.segment_bound, strict=True)
    ):
        edge = int(mesh.segment_edge[number])
        at = np.linspace(*t, 9)
        on_it = body_of(name).curves[edge].geometry(np.zeros(9, dtype=np.intp), at).point
        share = np.clip((on_it - start) @ (stop - start) / ((stop - start) @ (stop - start)), 0, 1)
        assert np.linalg.norm(on_it - start - share[:, None] * (stop - start), axis=1).max() <= bound


def test_patches_that_meet_become_one_face_or_share_an_edge():
    counts = {
        name: (len(body_of(name).surfaces), len(body_of(name).curves), len(body_of(name).vertices))
        for name in NAMED
    }
    assert counts == {
        **{"torus": (1, 0, 0), "ellipsoid": (1, 0, 0), "egg": (1, 0, 0), "can": (3, 2, 0)},
        **{"quarters": (1, 0, 0), "moebius": (1, 4, 2), "cone": (1, 1, 1), "wave": (1, 4, 4)},
    }
    assert [name for name in NAMED if body_of(name).closed] == CLOSED
    assert [curve.domain.periodic for curve in body_of("can").curves] == [True, True]


def test_the_edge_of_a_can_knows_the_faces_on_both_sides():
    for curve in body_of("can").curves:
        conormals = curve.conormals(np.zeros(5, dtype=np.intp), np.linspace(0.1, 6.0, 5))
        into = np.sort(np.abs(conormals[:, :, 2]), axis=1)
        np.testing.assert_allclose(into, np.tile([0.0, 1.0], (5, 1)), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "volume"),
    [
        *(("torus", 2 * math.pi**2 * 0.09), ("quarters", 2 * math.pi**2 * 0.09)),
        *(("ellipsoid", 4 / 3 * math.pi * 0.28), ("can", 2 * math.pi)),
    ],
)
def test_a_solid_is_turned_outside_out_and_has_its_exact_volume(name, volume):
    assert body_of(name).mass.volume == pytest.approx(volume, rel=1e-12)
    flipped = {key: str(text).replace("(u)", "(-u)") for key, text in NAMED[name].items() if key in "xyzuv"}
    if name in ("torus", "ellipsoid"):
        assert formula({**NAMED[name], **flipped}).mass.volume == pytest.approx(volume, rel=1e-12)


def test_a_flat_sheet_is_as_heavy_as_it_is_large():
    body = formula({**SHEET, "z": "1 + u", "x": "k*u", "k": 0.0, "y": "2*v"})
    assert body.mass.volume == pytest.approx(8.0, rel=1e-12)
    np.testing.assert_allclose(body.mass.center, [0, 0, 1], atol=1e-12)


@pytest.mark.parametrize(
    ("change", "subject", "says"),
    [
        *(({"z": "u + w"}, "z", "character 5"), ({"z": "u +"}, "z", "    u +\n       ^")),
        *(
            ({"u": "0, 2*q"}, "u", "character 6"),
            ({"u": "1, 0"}, "u", "1 to 0"),
            ({"u": "3"}, "u", "lower, upper"),
        ),
        *(({"u": "-1, 1, periodic"}, "u", "2 apart"), ({"k": "two"}, "k", "finite number")),
        *(
            ({"sin": 2.0}, "sin", "another name"),
            ({"a b": 2.0}, "a b", "letters"),
            ({"0.x": "u"}, "0.x", "from 1"),
        ),
        *(
            ({"2.q": "u"}, "2.q", "as in 1.x"),
            ({"z": None}, "z", "expected text"),
            ({"z": "1/u"}, "z", "divisor"),
        ),
        *(
            ({"z": "sqrt(u)"}, "z", "character 1"),
            ({"z": "abs(u - v)"}, "z", "kink"),
            ({"z": "log(u)"}, "z", "log"),
        ),
        *(
            ({"x": "u^2", "z": "u^3"}, "x, y, z", "no tangent plane can be shown near u = "),
            ({"x": "v"}, "x, y, z", "tangent"),
        ),
        *(
            ({"x": "1", "y": "2"}, "x", "all points"),
            ({"y": "0", "z": "v*u", "v": "0, 1"}, "x, y, z", "tangent"),
        ),
        *(({"x": "u*cos(v)", "y": "u*sin(v)"}, "x, y, z", "u = "), ({"x": "exp(exp(9 + u))"}, "x", "not")),
        *(
            ({"u": "1e12, 1e12 + 1"}, "u", "begin it at 0"),
            ({"z": "1e-30*v", "y": "u"}, "x, y, z", "tangent"),
        ),
        ({f"{i}.x": "u" for i in range(1, 70)}, "69.x", "64 at most"),
        ({"z": "+".join(f"sin({i}*u)" for i in range(200))}, "x", "400 at most"),
        (
            {"x": "(2 + sin(800*u*v))*cos(u)", "y": "(2 + sin(800*u*v))*sin(u)", "z": "v"},
            *("x, y, z", "waves too fine"),
        ),
    ],
)
def test_what_is_no_surface_is_refused_with_the_property_and_the_reason(change, subject, says):
    with pytest.raises(SurfaceError) as caught:
        formula({**SHEET, **change})
    assert caught.value.subject == subject
    assert says in str(caught.value)


@pytest.mark.parametrize("missing", ["x", "z", "u"])
def test_a_missing_part_is_named(missing):
    with pytest.raises(SurfaceError, match=f'"formula": {missing}: is missing'):
        formula({key: value for key, value in SHEET.items() if key != missing})


def test_neighbouring_sides_of_one_point_are_refused():
    with pytest.raises(SurfaceError, match="neighbouring sides"):
        formula({**SHEET, "x": "u*v", "y": "u*v^2", "z": "u^2*v", "u": "0, 1", "v": "0, 1"})


def placed(body, rotation, world):
    placement = Placement(body, Pose(quaternion_of(rotation), np.array([0.1, 0.2, 2.0])), world, Settings())
    certificate = placement.run()
    return certificate, placement.states[-1].pose


@pytest.mark.parametrize(("definition", "height"), [(TORUS, 0.3), ({**ELLIPSOID, "a": 0.4, "b": 0.4}, 0.4)])
def test_a_formula_rests_at_its_true_height(definition, height, rng):
    """To 1e-9 of R: a torus flat on its side, and a sphere anywhere, near its poles too."""
    floor = exact(kinds.plane(20.0, 20.0), "floor")
    body = exact(formula(definition), "formula")
    certificate, pose = placed(body, random_rotation(rng), [floor])
    assert certificate.status in (Status.BALANCED, Status.AT_ENERGY_MINIMUM)
    assert abs(pose.translation[2] - height) <= 1e-9 * body.radius
    assert certificate.overlap <= 1e-9 * body.radius


def ring(out: str, up: str) -> dict:
    """A closed ring with a cross-section (2 + out, up)."""
    return {"x": f"(2 + {out})*cos(u)", "y": f"(2 + {out})*sin(u)", "z": up, "u": TURN, "v": TURN}


UNEVEN_EIGHT = ring("0.4*cos(v) + 0.5*sin(2v)", "0.7*sin(v)")


@pytest.mark.parametrize(
    ("definition", "closed"),
    [
        (ring("0.5*sin(2v)", "0.7*sin(v)"), False),
        (UNEVEN_EIGHT, False),
        (ring("(0.3 + 0.5*cos(v))*cos(v)", "(0.3 + 0.5*cos(v))*sin(v)"), True),
    ],
    ids=["eight", "uneven eight", "loop in a loop"],
)
def test_a_surface_with_a_loop_inside_out_is_a_sheet(definition, closed):
    body = exact(formula(definition), "ring")
    assert body.closed == closed
    assert body.mass.basis == ("volume" if closed else "area")


def test_a_loop_inside_out_does_not_sink_into_a_floor():
    """Of one quad, which has no inside to tell the sides by."""
    corners = [[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]]
    body = exact(formula(UNEVEN_EIGHT), "ring", tolerance=0.02)
    floor = polyhedron(corners, [[0, 1, 2], [0, 2, 3]], "floor")
    certificate, pose = placed(body, random_rotation(np.random.default_rng(2)), [floor])
    u, v = np.meshgrid(*[np.linspace(0.0, 2.0 * np.pi, 300)] * 2)
    out = 2.0 + 0.4 * np.cos(v) + 0.5 * np.sin(2.0 * v)
    at = np.stack([out * np.cos(u), out * np.sin(u), 0.7 * np.sin(v)], axis=-1)
    assert certificate.status is Status.BALANCED
    assert pose.points(at.reshape(-1, 3))[:, 2].min() > -1e-9 * body.radius


def test_a_pole_rests_on_a_pole(rng):
    """A ball set down on the lowest point of a bowl, both with their poles there."""
    bowl = exact(formula({"x": "v*cos(u)", "y": "v*sin(u)", "z": "v^2/4", "u": TURN, "v": "0, 3"}), "bowl")
    ball = exact(formula({**ELLIPSOID, "a": 0.4, "b": 0.4}), "ball")
    certificate, pose = placed(ball, np.eye(3), [bowl])
    assert certificate.status in (Status.BALANCED, Status.AT_ENERGY_MINIMUM)
    np.testing.assert_allclose(pose.translation, [0, 0, 0.4], atol=1e-9)


def test_random_formulas_are_surfaces_or_refused(rng):
    """No warning of numpy, nor anything but a SurfaceError, comes of what is undefined here and there."""
    built = 0
    for number in range(24):
        definition = {x: random_formula(rng, 1 + number % 3)[0] for x in "xyz"}
        definition.update(u="0.2, 1.5", v=("-1, 0.5", "0.3, 2*pi")[number % 2])
        try:
            mesh = formula(definition).tessellate((5, 4))
        except SurfaceError:
            continue
        assert np.isfinite(mesh.points).all()
        assert np.isfinite(mesh.bound).all()
        built += 1
    assert built > 3
