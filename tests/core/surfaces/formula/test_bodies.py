"""Bodies of formulas: joined patches, solids turned outside out, sheets, and how they rest."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import exact, polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.placement import Placement, Settings, Status
from physplace_addon.core.placement.certificate import Certificate
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.formula.bodies import formula
from tests.core.surfaces.formula.formula_bodies import CLOSED, ELLIPSOID, NAMED, TORUS, TURN, body_of
from tests.oracles.frames import quaternion_of, random_rotation

SHEET = {"x": "u", "y": "v", "z": "0", "u": "-1, 1", "v": "-1, 1"}


def test_patches_that_meet_become_one_face_or_share_an_edge() -> None:
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


def test_the_edge_of_a_can_knows_the_faces_on_both_sides() -> None:
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
def test_a_solid_is_turned_outside_out_and_has_its_exact_volume(name: str, volume: float) -> None:
    assert body_of(name).mass.volume == pytest.approx(volume, rel=1e-12)
    flipped = {key: str(text).replace("(u)", "(-u)") for key, text in NAMED[name].items() if key in "xyzuv"}
    if name in ("torus", "ellipsoid"):
        assert formula({**NAMED[name], **flipped}).mass.volume == pytest.approx(volume, rel=1e-12)


def test_a_flat_sheet_is_as_heavy_as_it_is_large() -> None:
    body = formula({**SHEET, "z": "1 + u", "x": "k*u", "k": 0.0, "y": "2*v"})
    assert body.mass.volume == pytest.approx(8.0, rel=1e-12)
    np.testing.assert_allclose(body.mass.center, [0, 0, 1], atol=1e-12)


def placed(body: Body, rotation: Floats, world: Sequence[Body]) -> tuple[Certificate, Pose]:
    placement = Placement(body, Pose(quaternion_of(rotation), np.array([0.1, 0.2, 2.0])), world, Settings())
    certificate = placement.run()
    return certificate, placement.states[-1].pose


@pytest.mark.parametrize(("definition", "height"), [(TORUS, 0.3), ({**ELLIPSOID, "a": 0.4, "b": 0.4}, 0.4)])
def test_a_formula_rests_at_its_true_height(
    definition: dict[str, float | str], height: float, rng: np.random.Generator
) -> None:
    """To 1e-9 of R: a torus flat on its side, and a sphere anywhere, near its poles too."""
    floor = exact(kinds.plane(20.0, 20.0), "floor")
    body = exact(formula(definition), "formula")
    certificate, pose = placed(body, random_rotation(rng), [floor])
    assert certificate.status in (Status.BALANCED, Status.AT_ENERGY_MINIMUM)
    assert abs(pose.translation[2] - height) <= 1e-9 * body.radius
    assert certificate.overlap <= 1e-9 * body.radius


def ring(out: str, up: str) -> dict[str, str]:
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
def test_a_surface_with_a_loop_inside_out_is_a_sheet(definition: dict[str, str], closed: bool) -> None:
    body = exact(formula(definition), "ring")
    assert body.closed == closed
    assert body.mass.basis == ("volume" if closed else "area")


@pytest.mark.slow
def test_a_loop_inside_out_does_not_sink_into_a_floor() -> None:
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


def test_a_pole_rests_on_a_pole(rng: np.random.Generator) -> None:
    """A ball set down on the lowest point of a bowl, both with their poles there."""
    bowl = exact(formula({"x": "v*cos(u)", "y": "v*sin(u)", "z": "v^2/4", "u": TURN, "v": "0, 3"}), "bowl")
    ball = exact(formula({**ELLIPSOID, "a": 0.4, "b": 0.4}), "ball")
    certificate, pose = placed(ball, np.eye(3), [bowl])
    assert certificate.status in (Status.BALANCED, Status.AT_ENERGY_MINIMUM)
    np.testing.assert_allclose(pose.translation, [0, 0, 0.4], atol=1e-9)
