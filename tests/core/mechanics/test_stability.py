"""A rest is stable if no free motion lowers it; textbook rests tell which ones are."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.mechanics.balance import even_forces
from physplace_addon.core.mechanics.stability import SecondOrder, second_order, support_margin
from tests.core.contact.body_pairs import as_system, everything_within, meet

DOWN = np.array([0.0, 0.0, -1.0])
WEIGHT = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
QUARTER = 0.5 * np.pi
SQUARE = np.array([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [-1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]])


def judged(
    active: str, world: str, turn: tuple[float, float, float], at: tuple[float, float, float]
) -> SecondOrder:
    """The second-order test of a body at rest on what touches it."""
    body_pair = meet(active, world, turn, at)
    points = everything_within(body_pair, 0.02 * body_pair.radius)
    points = points.take(np.abs(points.gap) < 1e-8)
    gradients = as_system(body_pair).gradients(points)
    forces = even_forces(WEIGHT, gradients)
    curvature = as_system(body_pair).curvature(points, forces)
    assert np.abs(WEIGHT + gradients.T @ forces).max() < 1e-7
    return second_order(gradients, curvature, forces)


@pytest.mark.parametrize(
    ("active", "height"),
    [("cube", 0.5), ("torus", 0.3), ("cylinder", 1.0), ("cone", 1.0), ("ellipsoid", 0.8)],
)
def test_bodies_on_their_broad_side_are_stable(active: str, height: float) -> None:
    assert judged(active, "slab", (0.0, 0.0, 0.0), (0.0, 0.0, height)).stable


@pytest.mark.parametrize(
    ("active", "turn", "height"),
    [
        ("cube", (0.5 * QUARTER, 0.0, 0.0), np.sqrt(0.5)),
        ("torus", (QUARTER, 0.0, 0.0), 1.3),
        ("ellipsoid", (0.0, QUARTER, 0.0), 1.2),
        ("ellipsoid", (QUARTER, 0.0, 0.0), 1.0),
    ],
    ids=["cube on its edge", "torus on its rim", "ellipsoid on its end", "ellipsoid on its side"],
)
def test_bodies_that_topple_are_metastable(
    active: str, turn: tuple[float, float, float], height: float
) -> None:
    found = judged(active, "slab", turn, (0.0, 0.0, height))
    assert not found.stable
    assert np.abs(found.falling[:, 2]).max() < 1e-9  # they fall by rolling, not by sinking


def test_a_cone_on_its_apex_falls_to_every_side() -> None:
    assert len(judged("cone", "slab", (2.0 * QUARTER, 0.0, 0.0), (0.0, 0.0, 1.0)).falling) == 2


def test_a_ball_on_a_ball_rolls_off_to_every_side() -> None:
    found = judged("ball", "ball", (0.0, 0.0, 0.0), (0.0, 0.0, 2.0))
    assert np.abs(np.sort(found.values) - [-0.5, -0.5, 0.0, 0.0, 0.0]).max() < 1e-9
    assert len(found.falling) == 2


def test_a_ball_on_a_floor_is_neutral_in_every_motion() -> None:
    found = judged("ball", "slab", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    assert found.stable
    assert len(found.values) == 5
    assert np.abs(found.values).max() < 1e-9


def test_a_ball_inside_a_ring_is_stable_but_may_spin() -> None:
    found = judged("ball", "torus", (0.0, 0.0, 0.0), (0.0, 0.0, np.sqrt(1.3**2 - 1.0)))
    assert found.stable
    assert (np.abs(found.values) < 1e-6).sum() == 3


def test_a_cylinder_on_its_side_may_roll_slide_and_turn() -> None:
    found = judged("cylinder", "slab", (QUARTER, 0.0, 0.0), (0.0, 0.0, 0.5))
    assert found.stable
    assert len(found.values) == 4
    assert np.abs(found.values).max() < 1e-6


def test_an_idle_contact_that_forbids_the_fall_makes_it_stable() -> None:
    gradients = np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    curvature = np.zeros((6, 6))
    curvature[0, 0] = 1.0  # sliding along x lowers the energy
    forces = np.array([1.0, 0.0])
    both_sides = np.vstack([gradients, -gradients[1:]])
    assert not second_order(gradients[:1], curvature, forces[:1]).stable
    assert not second_order(gradients, curvature, forces).stable  # it may still fall the other way
    held = second_order(both_sides, curvature, np.array([1.0, 0.0, 0.0]))
    assert held.stable


@pytest.mark.parametrize(
    ("aside", "margin"), [((0.0, 0.0), 1.0), ((0.7, 0.2), 0.3), ((1.0, 0.0), 0.0), ((1.25, 0.0), -0.25)]
)
def test_the_centre_of_mass_stands_inside_a_square_by_its_distance_to_the_side(
    aside: tuple[float, float], margin: float
) -> None:
    assert abs(support_margin(SQUARE, np.array([*aside, 3.0]), DOWN) - margin) < 1e-12


def test_the_margin_is_seen_along_gravity() -> None:
    tilted = np.array([0.6, 0.0, -0.8])
    centre = np.array([0.0, 0.0, 2.0])
    foot = 0.6 / 0.8 * 2.0  # where the line of gravity meets the square's plane
    assert abs(support_margin(SQUARE, centre, tilted) - 0.8 * (1.0 - foot)) < 1e-12


def test_a_point_or_a_line_of_support_has_no_margin() -> None:
    assert support_margin(SQUARE[:1], np.zeros(3), DOWN) == 0.0
    assert support_margin(np.array([[x, 0.5 * x, 0.0] for x in range(4)]), np.zeros(3), DOWN) == 0.0


def test_a_line_of_support_off_the_axes_has_no_margin() -> None:
    line = np.linspace(0.0, 1.0, 5)[:, None] * np.array([0.3, np.pi, 0.0])
    assert abs(support_margin(line, line[2], DOWN)) < 1e-12
