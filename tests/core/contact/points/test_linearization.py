"""The gap's gradient and Hessian in the pose are those of gaps solved again at displaced poses."""

from __future__ import annotations

from functools import lru_cache
from typing import TypedDict

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.points.extremal_pairs import solve_extremal_pairs
from physplace_addon.core.contact.points.interface_points import InterfacePoints
from physplace_addon.core.contact.points.linearization import soft_inverse
from tests.core.contact.body_pairs import (
    as_system,
    chance_meeting,
    everything_within,
    meet,
    settle_at,
)

UPSIDE_DOWN = (np.pi, 0.0, 0.0)


class Chance(TypedDict, total=False):
    """How a chance meeting is drawn: see `chance_meeting`."""

    about: tuple[float, float, float]
    spread: float
    aside: float


MEETINGS: dict[str, tuple[str, str, str, Chance]] = {
    "ball over a plane": ("ball", "plane", "face/face", {}),
    "ellipsoid over a plane": ("ellipsoid", "plane", "face/face", {}),
    "ellipsoid over a ball": ("ellipsoid", "ball", "face/face", {}),
    "ellipsoid over a torus": ("ellipsoid", "torus", "face/face", {"aside": 1.2}),
    "small ball in a bowl": ("small ball", "bowl", "face/face", {"aside": 1.0}),
    "torus' inside ring on a cone": ("torus", "cone", "face/face", {"spread": 0.3, "aside": 0.1}),
    "cube's face on a ball": ("cube", "ball", "face/face", {"spread": 0.3, "aside": 0.3}),
    "cylinder's rim on a plane": ("cylinder", "plane", "edge/face", {}),
    "cylinder's rim on a ball": ("cylinder", "ball", "edge/face", {}),
    "cylinder's rim on a torus": ("cylinder", "torus", "edge/face", {"aside": 1.3}),
    "cube's edge on a ball": ("cube", "ball", "edge/face", {}),
    "ball on a cylinder's rim": ("ball", "cylinder", "face/edge", {}),
    "ellipsoid on a cylinder's rim": ("ellipsoid", "cylinder", "face/edge", {}),
    "torus on a cube's edge": ("torus", "cube", "face/edge", {"aside": 1.5}),
    "cone's apex on a ball": ("cone", "ball", "vertex/face", {"about": UPSIDE_DOWN, "spread": 0.4}),
    "cube's corner on a ball": ("cube", "ball", "vertex/face", {}),
    "cube's corner on a plane": ("cube", "plane", "vertex/face", {}),
    "ball on a cone's apex": ("ball", "cone", "face/vertex", {"aside": 0.3}),
    "cube's face on a cone's apex": ("cube", "cone", "face/vertex", {"spread": 0.4, "aside": 0.3}),
    "rim on a rim": ("cylinder", "cylinder", "edge/edge", {}),
    "rim on a straight edge": ("cylinder", "cube", "edge/edge", {}),
    "straight edge on a rim": ("cube", "cylinder", "edge/edge", {}),
    "straight edges": ("cube", "cube", "edge/edge", {}),
}
GAPS = {"apart": 0.05, "touching": 0.0, "overlapping": -0.02}
STEP = 2e-4

each_meeting = pytest.mark.parametrize("name", MEETINGS)
each_gap = pytest.mark.parametrize("gap", GAPS.values(), ids=GAPS)


@lru_cache
def meeting_of(name: str) -> tuple[BodyPair, InterfacePoints]:
    active, world, kind, options = MEETINGS[name]
    return chance_meeting(active, world, kind, np.random.default_rng(1995), **options)


@lru_cache
def measured(name: str, gap: float) -> tuple[BodyPair, InterfacePoints, Floats, Floats, Floats]:
    """The pair at a gap, random directions (k, 6), and the gap's slopes and bends (k,) along them."""
    body_pair, point = meeting_of(name)
    body_pair, point = settle_at(body_pair, point, gap * body_pair.radius)
    directions = np.random.default_rng(2).normal(size=(22, 6))  # 21 of them already tell a symmetric form
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    here = gap_at(body_pair, point, np.zeros(6))
    ahead = np.array([gap_at(body_pair, point, STEP * d) for d in directions])
    behind = np.array([gap_at(body_pair, point, -STEP * d) for d in directions])
    slopes, bends = (ahead - behind) / (2.0 * STEP), (ahead - 2.0 * here + behind) / STEP**2
    return body_pair, point, directions, slopes, bends


def gap_at(body_pair: BodyPair, point: InterfacePoints, x: Floats) -> float:
    solved, valid = solve_extremal_pairs(body_pair.displaced(x), point, known_sides=True)
    assert valid[0]
    return float(solved.gap[0]) / body_pair.radius


@pytest.mark.slow
@each_meeting
@each_gap
def test_the_gradient_is_that_of_the_gap_solved_again(name: str, gap: float) -> None:
    body_pair, point, directions, slopes, _ = measured(name, gap)
    gradient = as_system(body_pair).gradients(point)[0]
    assert np.abs(directions @ gradient - slopes).max() <= 1e-6


@each_meeting
@each_gap
def test_the_hessian_is_that_of_the_gap_solved_again(name: str, gap: float) -> None:
    body_pair, point, directions, _, bends = measured(name, gap)
    hessian = as_system(body_pair).hessians(point)[0]
    predicted = np.einsum("ka,ab,kb->k", directions, hessian, directions)
    assert np.abs(hessian - hessian.T).max() == 0.0
    assert np.abs(predicted - bends).max() <= 1e-5 * max(1.0, np.abs(hessian).max())


def test_the_gap_of_two_vertices_changes_along_their_distance() -> None:
    body_pair = meet("cube", "cube", at=(1.1, 1.1, 1.1))
    points = everything_within(body_pair, 0.5)
    point = points.take(np.array(points.kinds(), dtype=object) == "vertex/vertex")
    assert len(point) == 1
    assert np.allclose(point.normal, 1.0 / np.sqrt(3.0), atol=1e-14)
    gradient = as_system(body_pair).gradients(point)[0]
    h = 1e-5
    found = [
        (gap_at(body_pair, point, h * e) - gap_at(body_pair, point, -h * e)) / (2.0 * h) for e in np.eye(6)
    ]
    assert np.abs(gradient - found).max() <= 1e-8


def test_turning_a_body_by_an_exact_line_of_contact_keeps_the_gap_to_first_order() -> None:
    body_pair = meet("cylinder", "plane", turn=(0.5 * np.pi, 0.0, 0.0), at=(0.0, 0.0, 0.5))
    points = everything_within(body_pair, 0.05)
    centred = points.take(np.abs(points.point1[:, 1]) < 1e-9)
    gradients = as_system(body_pair).gradients(centred)
    roll = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    assert len(points)
    assert np.abs(as_system(body_pair).gradients(points) @ roll).max() < 1e-12
    assert np.abs(gradients[:, 3:]).max(initial=0.0) < 1e-12


def test_a_soft_direction_has_no_inverse_and_a_stiff_one_has(rng: np.random.Generator) -> None:
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    matrix = (turn @ np.diag([1e-3, 4.0]) @ turn.T)[None]
    expected = turn @ np.diag([0.0, 0.25]) @ turn.T
    assert np.allclose(soft_inverse(matrix, np.array([0.1]))[0], expected, atol=1e-14)
    assert np.allclose(soft_inverse(matrix, np.array([1e-6]))[0], np.linalg.inv(matrix[0]), rtol=1e-10)
