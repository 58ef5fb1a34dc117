"""Curved bodies on their paths: nothing overlaps at any time, by oracles of their own."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies.implicit_solid import blob_body
from physplace_addon.core.contact.many_pairs import curved_stops
from physplace_addon.core.contact.many_pairs.piece_search import PiecePairs, PieceSearch
from physplace_addon.core.dynamics.drift import free_drift
from physplace_addon.core.dynamics.drift.trials import FreePart, free_part
from physplace_addon.core.dynamics.motion import Motion
from physplace_addon.core.dynamics.scene import HOLD, Scene
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.dynamics.step import Moment
from physplace_addon.core.rigid import Pose, quaternion_exponential, rotation_matrix
from tests.bodies_of_the_paper import Paired, cone, sphere, torus
from tests.core.bodies import blob_bodies
from tests.oracles.frames import rotation_of

from .scenes import UPRIGHT, at, block, floor, simulation


def lowest(made: Simulation, paired: Paired, times: int = 5) -> float:
    """The lowest height of the first body at all states and so many times before each, over the gap kept."""
    inertia, found = made.scene.inertia, np.inf
    for before, after in zip(made.states[:-1], made.states[1:], strict=True):
        twists = before.motion.twists_to(inertia, after.motion)
        for share in np.linspace(0.0, 1.0, times + 1)[1:]:
            there = before.motion.displaced(inertia, share * twists)
            down = np.array([[0.0, 0.0, -1.0]]) @ rotation_of(there.rotation[0])
            height = there.centre[0, 2] + made.scene.origin[2]
            found = min(found, height - float(paired.shape.support(down)[0]))
    return found / made.scene.hold


def test_a_cone_that_comes_to_rest_on_its_rim_is_above_the_floor_at_any_time() -> None:
    """It rolls on its rim and rattles: between two states of a step the rim dips."""
    rng, paired = np.random.default_rng(12), cone(0.3, 0.5)
    made = simulation(
        [paired.body],
        [Pose(quaternion_exponential(rng.normal(size=3)), np.array([0.0, 0.0, 0.5]))],
        [floor()],
        restitution=rng.uniform(0.0, 1.0),
        friction=rng.uniform(0.0, 1.0),
        spin=4.0 * rng.normal(size=(1, 3)),
    )
    made.run(0.345)
    assert lowest(made, paired) > 0.0


def test_a_ball_meets_what_it_hits_without_a_search_beyond_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The paths of each step are searched once, also where a step ends at a hit, by the gap that is kept."""
    searched: list[float] = []

    def counted(scene: Scene, start: Moment, end: Motion) -> FreePart:
        searched.append(start.time)
        return free_part(scene, start, end)

    monkeypatch.setattr(free_drift, "free_part", counted)
    ball = Pose(UPRIGHT, np.array([0.02, 0.01, 0.53]))
    spin = np.array([[3.0, 2.0, 1.0], [0.0, 0.0, 0.0]])
    shapes = [sphere(0.2).body, sphere(0.3).body]
    made = simulation(
        shapes,
        [ball, Pose(UPRIGHT, np.zeros(3))],
        [],
        gravity=np.zeros(3),
        spin=spin,
        velocity=np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 0.0]]),
    )
    while len(made.moment.points) == 0 or not made.moment.touching.any():
        assert made.state.time < 0.1
        made.step()
    assert len(searched) == len(made.states) - 1
    assert 0.6 < made.moment.points.gap.min() / made.scene.hold < 1.3


def test_a_ball_does_not_cut_through_a_blade_between_two_states() -> None:
    """It is clear of the blade before and after, and would overlap only in the middle of a step."""
    step, speed, radius = 1.0 / 240.0, 6.0, 0.5
    blade = at(block(0.002, 1.0, 1.0), np.array([0.0, 0.0, -0.5]))
    pose = Pose(UPRIGHT, np.array([-2.5 * speed * step, 0.0, radius - 2e-5]))
    made = simulation(
        [sphere(radius).body],
        [pose],
        [blade],
        gravity=np.zeros(3),
        velocity=np.array([[speed, 0.0, 0.0]]),
    )
    made.run(6 * step)
    for before, after in zip(made.states[:-1], made.states[1:], strict=True):
        for share in np.linspace(0.0, 1.0, 50):
            centre = (1.0 - share) * before.motion.centre[0] + share * after.motion.centre[0]
            centre = centre + made.scene.origin
            aside = max(abs(centre[0]) - 0.001, 0.0)
            assert np.hypot(aside, centre[2]) > radius


def from_ball(made: Simulation, half: Floats, times: int = 4) -> float:
    """The least distance of a box with half sides (3,) from a blobby ball about the origin, at all states and
    so many times before each, over the gap kept.
    """
    inertia, found = made.scene.inertia, np.inf
    for before, after in zip(made.states[:-1], made.states[1:], strict=True):
        twists = before.motion.twists_to(inertia, after.motion)
        for share in np.linspace(0.0, 1.0, times + 1)[1:]:
            pose = made.scene.poses(before.motion.displaced(inertia, share * twists))[0]
            centre = -rotation_of(pose.rotation).T @ pose.translation
            away = np.linalg.norm(centre - np.clip(centre, -half, half))
            found = min(found, float(away) - blob_bodies.RADIUS)
    return found / made.scene.hold


def test_a_block_that_tips_off_a_blob_stays_outside_it() -> None:
    """It slides down until the blob is under its edge, and over that."""
    half, tilt = np.array([0.5, 0.3, 0.1]), np.array([0.05, 1.0, 0.0])
    cube, blob = block(*(2.0 * half)), blob_body(blob_bodies.ball_of(), "blob")
    over = np.array([0.485, 0.03, blob_bodies.RADIUS + half[2] + HOLD * cube.radius])
    pose = Pose(quaternion_exponential(tilt), rotation_matrix(tilt) @ over)
    made = simulation([cube], [pose], [blob], friction=0.0)
    on_edge = False
    while made.state.time < 0.25 and not on_edge:
        made.step()
        on_edge = "edge/face" in made.moment.points.take(made.moment.touching).kinds()
    assert on_edge
    made.run(made.state.time + 0.02)
    assert from_ball(made, half) > 0.49
    rises = np.diff([state.energy for state in made.states])
    assert rises.max() < 1e-6 * made.state.motion.kinetic_energy(made.scene.inertia)


def test_paths_of_a_cone_that_rolls_are_not_searched_from_whole_triangles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It closes by its rates, and how its path bends opens the gap again."""
    searched: list[int] = []

    def counted(search: PieceSearch, whole: PiecePairs, row: int, stop: float) -> None:
        searched.append(row)
        search_one(search, whole, row, stop)

    search_one = vars(curved_stops)["_search_one"]
    monkeypatch.setattr(curved_stops, "_search_one", counted)
    radius, height = 0.3, 0.6
    shape = cone(radius, height).body
    lying = quaternion_exponential(np.array([0.0, 0.5 * np.pi + np.arctan2(radius, height), 0.0]))
    over = HOLD * shape.radius - Pose(lying, np.zeros(3)).points(shape.points)[:, 2].min()
    made = simulation(
        [shape],
        [Pose(lying, np.array([0.0, 0.0, over]))],
        [floor()],
        friction=0.8,
        velocity=np.array([[0.5, 0.0, 0.0]]),
        spin=np.array([[6.0, 0.0, 2.0]]),
    )
    made.run(0.15)
    assert len(made.states) > 30
    assert not searched


def test_a_ring_that_wobbles_runs_into_no_sample_of_the_curve_that_it_rolls_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Samples ahead of its lowest point close as a wheel's rim does.  Taken for hits they ended a step after
    three or four searches of its paths, and often .04 of the gap that is kept was left between two states.
    """
    searched: list[float] = []

    def counted(scene: Scene, start: Moment, end: Motion) -> FreePart:
        searched.append(start.time)
        return free_part(scene, start, end)

    monkeypatch.setattr(free_drift, "free_part", counted)
    ring, tilted = torus(0.2, 0.05), quaternion_exponential(np.array([0.05, 0.0, 0.0]))
    over = HOLD * ring.body.radius - Pose(tilted, np.zeros(3)).points(ring.body.points)[:, 2].min()
    made = simulation(
        [ring.body],
        [Pose(tilted, np.array([0.0, 0.0, over]))],
        [floor()],
        friction=0.0,
        spin=8.0 * np.array([[0.0, np.sin(0.05), 1.0]]),
    )
    made.run(0.1)
    assert made.moment.points.on_curve.sum() > 20
    assert len(searched) < 2 * len(made.states)
    assert lowest(made, ring) > 0.1
    rises = np.diff([state.energy for state in made.states])
    assert rises.max() < 1e-6 * made.states[0].energy


@pytest.mark.parametrize("slope", [0.2, 0.5, 0.8])
def test_trials_that_are_free_for_longer_the_shorter_they_are_are_wholly_free_after_two(slope: float) -> None:
    """Of a part p of the step .7 + slope (p - .7) is free: all of it from .7 on."""

    def searched(part: float) -> free_drift.Searched:
        return free_drift.Searched(part, 0.7 + slope * (part - 0.7))

    first = searched(1.0)
    second = searched(first.free)
    assert 0.68 < first.all_free(second) < 0.7


def test_a_trial_whose_end_is_too_near_however_short_is_halved() -> None:
    first, second = free_drift.Searched(1.0, 0.99), free_drift.Searched(0.8, 0.79)
    assert first.all_free(second) == pytest.approx(0.395)
