"""Walking over faces of many patches: across joins and poles, and along open sides."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.surfaces.bezier.nets import BezierNets
from physplace_addon.core.surfaces.bezier.sheet import BezierSheet
from tests.core.surfaces.bezier.moves_over_patches import (
    beside,
    far_from_open_sides,
    leaves_its_pole_in_any_direction,
    moves_to_first_order,
    points,
)
from tests.core.surfaces.bezier.patched_bodies import BODIES, samples, sheets

each_sheet = pytest.mark.parametrize(("name", "sheet"), sheets(), ids=[name for name, _ in sheets()])
ROUND = ["pebble", "lunes", "pot", "lid"]


@each_sheet
def test_moving_is_exact_to_first_order_across_joins_and_poles(
    name: str, sheet: BezierSheet, rng: np.random.Generator
) -> None:
    moves_to_first_order(sheet, rng, tip=name == "tip 0")


@each_sheet
def test_repeated_moves_towards_a_point_converge_to_a_foot_of_it(
    name: str, sheet: BezierSheet, rng: np.random.Generator
) -> None:
    face, uv = samples(sheet, 100, rng, margin=0.1)
    g = sheet.geometry(face, uv)
    bend = np.abs(g.curvature).max(axis=(1, 2))[:, None]
    target = g.point + np.minimum(0.1, 0.15 / (bend + 1e-9)) * rng.normal(size=(100, 3))
    for _ in range(60):
        uv = sheet.move(face, uv, target - points(sheet, uv))
    inside = far_from_open_sides(sheet, uv, 1e-12)
    assert np.mean(beside(sheet.geometry(face, uv), target)[inside] < 1e-8) > 0.9


def walked_in_a_plane(sheet: BezierSheet, uv: Floats, normal: Floats, count: int, length: float) -> Floats:
    """Points (count, 3) of a walk with equal steps across the surface's normal and a fixed direction."""
    way = []
    for _ in range(count):
        g = sheet.geometry(np.zeros(1, dtype=np.intp), uv)
        ahead = np.cross(normal, g.normal[0])
        uv = sheet.move(np.zeros(1, dtype=np.intp), uv, length * ahead[None] / np.linalg.norm(ahead))
        way.append(points(sheet, uv)[0])
    return np.array(way)


@pytest.mark.slow
def test_a_walk_around_the_belly_of_the_pot_crosses_its_four_quarters_and_comes_round() -> None:
    sheet = BODIES["pot"].surfaces[0]
    start = sheet.layout.face_parameters(np.array([4]), np.array([[0.3, 1.0]]))
    way = walked_in_a_plane(sheet, start, np.array([0.0, 0.0, 1.0]), 920, 0.014)
    angle = np.unwrap(np.arctan2(way[:, 1], way[:, 0]))
    assert abs(angle[-1] - angle[0]) > 2 * np.pi
    radius = np.linalg.norm(way[:, :2], axis=1)
    assert radius.min() > 1.99
    assert radius.max() < 2.04
    assert np.ptp(way[:, 2]) < 0.05


@pytest.mark.parametrize("name", ROUND)
@pytest.mark.parametrize("heading", [0.0, 0.4, 1.2, 2.9])
def test_a_walk_over_a_pole_goes_straight_on(name: str, heading: float) -> None:
    sheet = BODIES[name].surfaces[0]
    pole = sheet.poles[0]
    ahead = np.cos(heading) * pole.plane[0] + np.sin(heading) * pole.plane[1]
    face, size = np.zeros(1, dtype=np.intp), 0.02
    number = int(np.nonzero(sheet.pole_of == 0)[0][0])
    uv = sheet.layout.face_parameters(np.array([number]), np.array([[0.5, 1.0]]))
    uv = sheet.move(face, uv, -6.3 * size * ahead[None])
    start = points(sheet, uv)[0]
    for _ in range(12):
        uv = sheet.move(face, uv, size * ahead[None])
    walked = points(sheet, uv)[0] - start
    assert walked @ ahead == pytest.approx(12 * size, rel=0.05)
    assert abs(walked @ np.cross(pole.normal, ahead)) < 2e-3 * size


@pytest.mark.parametrize("name", ROUND)
def test_a_pole_can_be_left_in_any_direction(name: str) -> None:
    leaves_its_pole_in_any_direction(BODIES[name].surfaces[0])


def test_an_open_side_stops_a_walk_but_not_its_way_along() -> None:
    sheet = BODIES["pot"].surfaces[0]
    face, uv = np.zeros(1, dtype=np.intp), sheet.layout.face_parameters(np.array([0]), np.array([[0.5, 0.1]]))
    for _ in range(30):
        uv = sheet.move(face, uv, np.array([[-0.05, 0.05, -0.1]]))
    end = points(sheet, uv)[0]
    assert end[2] == pytest.approx(2.4, abs=1e-12)
    assert np.hypot(end[0], end[1]) == pytest.approx(1.4, abs=0.02)
    assert end[1] - end[0] > 1.0


def test_a_step_too_long_for_the_curvature_does_not_fling_the_point_away(rng: np.random.Generator) -> None:
    """It ends no farther from where it was sent than it began."""
    for _, sheet in sheets():
        face, uv = samples(sheet, 500, rng)
        g = sheet.geometry(face, uv)
        step = rng.normal(size=(500, 3))
        step -= np.einsum("ki,ki->k", step, g.normal)[:, None] * g.normal
        step *= 0.3 / np.linalg.norm(step, axis=1)[:, None]
        miss = np.linalg.norm(points(sheet, sheet.move(face, uv, step)) - g.point - step, axis=1)
        assert np.mean(miss <= 0.3 * (1 + 1e-9)) > 0.97


@pytest.mark.parametrize("size", [1e-3, 1e-16])
def test_a_small_step_is_one_evaluation(
    size: float, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that is lost in the rounding of the points, which no further step would bring nearer."""
    sheet, slopes = BODIES["lid"].surfaces[0], BezierNets.slopes
    asked: list[int] = []

    def counted(nets: BezierNets, patch: Ints, at: Floats) -> object:
        asked.append(0)
        return slopes(nets, patch, at)

    monkeypatch.setattr(BezierNets, "slopes", counted)
    face, uv = samples(sheet, 50, rng, margin=0.1)
    sheet.move(face, uv, size * rng.normal(size=(50, 3)))
    assert len(asked) == 1
