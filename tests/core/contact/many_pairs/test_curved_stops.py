"""How far bodies with curved surfaces may go, beside distances of the true surfaces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.collision.rigid_paths import (
    PieceModels,
    PiecesOnPaths,
    QuadricSteps,
    steps_before_quadrics,
)
from physplace_addon.core.contact.many_pairs import piece_search
from physplace_addon.core.contact.many_pairs.motion_stops import motion_stops
from physplace_addon.core.contact.many_pairs.path_pairs import RigidPaths
from physplace_addon.core.contact.many_pairs.piece_search import PiecePairs, PieceSearch
from physplace_addon.core.contact.points.interface_points import FIXED
from physplace_addon.core.contact.system import ContactSystem
from physplace_addon.core.rigid import Pose, quaternion_exponential, rotation_matrix
from tests.bodies_of_the_paper import BOWL, Paired, cone, cuboid, cylinder, sphere, torus, turned
from tests.oracles.overlap import separation

GAP = 1e-5
STOP = 0.5 * GAP
NEARLY = 1.1  # of the stop distance, up to which bodies go


def at(place: Sequence[float] | Floats, turn: Sequence[float] | Floats = (0.0, 0.0, 0.0)) -> Pose:
    return Pose(quaternion_exponential(np.array(turn, float)), np.array(place, float))


def paths(shift: Floats, turn: Floats | None = None) -> RigidPaths:
    return RigidPaths(shift, np.zeros_like(shift), np.zeros_like(shift) if turn is None else turn)


def floor(size: float = 10.0) -> Body:
    return polyhedron(*cuboid([0.0, 0.0, -0.5], [size, size, 0.5]), "floor")


def distance(system: ContactSystem, moves: RigidPaths, shapes: list[Paired], tau: float) -> float:
    """The distance of two true surfaces at a time."""
    placed: list[tuple[Floats, Floats]] = []
    for number in range(2):
        turn = rotation_matrix(tau * moves.turn[number])
        centre = system.centres[number]
        there = turn @ (system.poses[number].translation - centre) + centre + tau * moves.shift[number]
        placed.append((turn @ system.poses[number].matrix, there))
    (one, other), ((turn1, place1), (turn2, place2)) = shapes, placed
    return float(separation(one.shape, turn1, place1, other.shape, turn2, place2, below=np.inf))


@pytest.mark.parametrize("seed", range(4))
def test_curved_bodies_stop_where_their_true_surfaces_are_near(seed: int) -> None:
    rng = np.random.default_rng(seed)
    makers = [
        lambda: sphere(0.5),
        lambda: torus(0.4, 0.12),
        lambda: cone(0.4, 0.7),
        lambda: cylinder(0.3, 0.8),
    ]
    shapes = [makers[int(rng.integers(4))]() for _ in range(2)]
    poses = [at(np.zeros(3), rng.normal(size=3)), at([1.0, 0.05, 0.02], rng.normal(size=3))]
    system = ContactSystem.of([each.body for each in shapes], poses, [])
    shift = rng.normal(size=(2, 3)) * 0.02
    shift[0, 0] += 0.1
    turn = rng.normal(size=(2, 3)) * 0.1
    tau = 1.0
    for scale in (1.0, 3.0, 6.0):  # until they meet
        moves = paths(scale * shift, turn)
        stops = motion_stops(system, moves, GAP)
        tau = stops.first
        before = [distance(system, moves, shapes, each) for each in np.linspace(0.0, tau, 9)]
        assert min(before) > STOP
        if tau < 1.0:
            assert before[-1] < NEARLY * STOP
            assert stops.curved.tolist() == [[0, 1]] * len(stops.curved)
            assert len(stops.curved)
            return
    assert tau == 1.0


def test_balls_that_fall_on_a_floor_stop_above_it() -> None:
    system = ContactSystem.of([sphere(0.3).body], [at([0.1, 0.2, 0.31])], [floor()])
    stops = motion_stops(system, paths(np.array([[0.3, 0.1, -0.02]]), np.array([[1.0, 0.5, 0.2]])), GAP)
    assert stops.bodies.tolist() == [[0, FIXED]]
    assert 0.01 - 0.02 * stops.first == pytest.approx(STOP, rel=0.05)


def test_what_rolls_or_slides_at_the_gap_is_not_stopped() -> None:
    ball, rod = sphere(0.3).body, cylinder(0.2, 1.0).body
    poses = [at([0.0, 0.0, 0.3 + GAP]), at([3.0, 0.0, 0.2 + GAP], [0.0, 0.5 * np.pi, 0.0])]
    shift = np.array([[0.06, 0.0, 0.0], [0.0, 0.04, 0.0]])
    turn = np.array([[0.0, 0.2, 0.0], [-0.2, 0.0, 0.0]])
    assert motion_stops(ContactSystem.of([ball, rod], poses, [floor()]), paths(shift, turn), GAP).first == 1.0


def test_a_cylinder_that_stands_and_slides_is_not_stopped() -> None:
    rod = cylinder(0.4, 1.0).body
    system = ContactSystem.of([rod], [at([0.0, 0.0, 0.5 + GAP])], [floor()])
    assert motion_stops(system, paths(np.array([[0.1, 0.02, 0.0]])), GAP).first == 1.0
    down = motion_stops(system, paths(np.array([[0.1, 0.02, -2.0 * GAP]])), GAP)
    assert GAP * (1.0 - 2.0 * down.first) == pytest.approx(STOP, rel=0.05)


@pytest.mark.parametrize("near", [0.7, 1e-3])
def test_what_is_nearer_at_the_start_may_come_to_two_fifths_of_that(near: float) -> None:
    system = ContactSystem.of([sphere(0.5).body] * 2, [at([0, 0, 0]), at([0, 0, 1.0 + near * GAP])], [])
    moves = paths(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -0.01]]))
    left = near * GAP - 0.01 * motion_stops(system, moves, GAP, {(0, 1): near * GAP}).first
    assert 0.38 * near * GAP < left < 0.45 * near * GAP


@pytest.mark.parametrize("near", [0.3, 1e-3])
def test_what_is_nearer_although_that_was_not_known_may_move_on(near: float) -> None:
    system = ContactSystem.of([sphere(0.5).body] * 2, [at([0, 0, 0]), at([0, 0, 1.0 + near * GAP])], [])
    away, nearer = (np.array([[0.0, 0.0, 0.0], [0.0, 0.0, z]]) for z in (0.01, -0.01))
    assert motion_stops(system, paths(away), GAP).first == 1.0
    left = near * GAP - 0.01 * motion_stops(system, paths(nearer), GAP).first
    assert 0.3 * near * GAP < left < near * GAP


def test_bodies_that_overlap_stop_at_once() -> None:
    system = ContactSystem.of([sphere(0.5).body] * 2, [at([0, 0, 0]), at([0, 0, 0.9999])], [])
    assert motion_stops(system, paths(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.01]])), GAP).first == 0.0


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_scale_does_not_matter(scale: float) -> None:
    ball = sphere(0.3 * scale).body
    system = ContactSystem.of([ball], [at([0, 0, 0.31 * scale])], [floor(10.0 * scale)])
    stops = motion_stops(system, paths(scale * np.array([[0.0, 0.0, -0.02]])), GAP * scale)
    assert 0.01 - 0.02 * stops.first == pytest.approx(STOP, rel=0.05)


def test_a_bead_in_a_hall_stops_on_its_pillar() -> None:
    """A bead of 1 mm falls on a round pillar of 20 m."""
    bead, pillar = sphere(5e-4).body, cylinder(3.0, 20.0).body
    gap = 1e-5 * 5e-4
    pose = at([50.0, 30.0, 5.0])
    stands = pillar.transformed(np.block([[np.eye(3), np.array([[50.0], [33.001], [5.0]])], [0, 0, 0, 1]]))
    stops = motion_stops(ContactSystem.of([bead], [pose], [stands]), paths(np.array([[0.0, 1e-3, 0.0]])), gap)
    assert 5e-4 - 1e-3 * stops.first == pytest.approx(0.5 * gap, rel=0.05)


RING_IN_BOWL = [torus(0.8, 0.2), turned("bowl", BOWL)]


def ring_in_bowl(height: float, turn: float) -> ContactSystem:
    """A ring that nearly follows the bowl all around, turned about its axis and slightly tilted."""
    poses = [at([0.001, 0.002, height], [0.002, 0.001, turn]), at(np.zeros(3), [0.0, 0.0, 1.0])]
    return ContactSystem.of([each.body for each in RING_IN_BOWL], poses, [])


@pytest.mark.parametrize("seed", range(3))
def test_a_ring_stops_in_a_bowl_where_their_true_surfaces_are_near(seed: int) -> None:
    rng = np.random.default_rng(seed)
    system = ring_in_bowl(0.5, rng.uniform(0.0, 6.0))
    moves = paths(np.array([[0.0, 0.0, -0.1], [0.0, 0.0, 0.0]]), 0.05 * rng.normal(size=(2, 3)))
    tau = motion_stops(system, moves, GAP).first
    before = [distance(system, moves, RING_IN_BOWL, each) for each in (0.97 * tau, 0.999 * tau, tau)]
    assert min(before) == before[-1]
    assert STOP < before[-1] < NEARLY * STOP


def test_a_ring_that_turns_in_a_bowl_is_parted_from_it_in_large_pieces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    down = paths(np.array([[0.0, 0.0, -0.1], [0.0, 0.0, 0.0]]))
    height = 0.5 - 0.1 * motion_stops(ring_in_bowl(0.5, 1.0), down, GAP).first + GAP
    turns = paths(np.zeros((2, 3)), np.array([[0.0, 0.0, 0.02], [0.0, 0.0, 0.0]]))
    looked_at: list[int] = []

    def counted(search: PieceSearch, places: PiecePairs) -> PiecePairs:
        looked_at[-1] += len(places)
        return after_round(search, places)

    after_round = PieceSearch._after_round
    monkeypatch.setattr(PieceSearch, "_after_round", counted)
    for quadrics in (steps_before_quadrics, no_steps_before_quadrics):
        monkeypatch.setattr(piece_search, "steps_before_quadrics", quadrics)
        looked_at.append(0)
        assert motion_stops(ring_in_bowl(height, 1.0), turns, GAP).first > 0.5
    assert looked_at[0] < 0.2 * looked_at[1]


def no_steps_before_quadrics(pieces: PiecesOnPaths, _: PieceModels) -> QuadricSteps:
    return QuadricSteps(*np.zeros((2, len(pieces.left))))


def test_quadrics_know_where_the_pieces_of_a_turned_ring_are(monkeypatch: pytest.MonkeyPatch) -> None:
    pose = at([0.001, 0.002, 0.5], [0.002, 0.001, 1.0])
    system = ContactSystem.of([RING_IN_BOWL[0].body], [pose], [RING_IN_BOWL[1].body])
    heights: list[Floats] = []

    def looked_at(pieces: PiecesOnPaths, models: PieceModels) -> QuadricSteps:
        middles = 0.5 * (pieces.arms + np.roll(pieces.arms, -1, axis=0)) + pieces.motion.arms(models.sides)
        assert pieces.motion.matrix is not None
        at_start = np.abs(pieces.motion.matrix - np.eye(3)[:, :, None]).max(axis=(0, 1)) < 1e-12
        bent = np.flatnonzero(at_start & models.sides.any(axis=(0, 1)))
        places = (pieces.motion.offset + middles)[:, :, bent].transpose(0, 2, 1).reshape(-1, 3)
        places += system.centres[0] - pose.translation  # the reference point of what is fixed
        x, y, z = (places @ pose.matrix).T
        heights.append(np.hypot(np.hypot(x, y) - 0.8, z) - 0.2)
        return steps_before_quadrics(pieces, models)

    monkeypatch.setattr(piece_search, "steps_before_quadrics", looked_at)
    motion_stops(system, paths(np.array([[0.0, 0.0, -0.1]]), np.array([[0.1, 0.2, 0.3]])), GAP)
    found = np.concatenate(heights)
    assert len(found) > 1000
    assert np.abs(found).max() < 1e-12


@pytest.mark.parametrize("seed", range(2))
def test_what_was_searched_before_does_not_change_where_curved_bodies_stop(seed: int) -> None:
    """A ball near a ring, on paths after each other, and fresh ones, that know of no other path."""
    rng = np.random.default_rng(seed)
    ring, ball = torus(0.4, 0.12).body, sphere(0.3).body
    poses = [at(np.zeros(3)), at([0.4, 0.0, 0.43])]
    shift, turn = 0.01 * rng.normal(size=(2, 3)), 0.02 * rng.normal(size=(2, 3))
    shift[1, 2] = -0.008
    stopped = []
    for down in (0.3, 0.35, 3.0, 0.3, 0.32, -1.0):
        system = ContactSystem.of([ring, ball], poses, [])
        moves = paths(down * shift, down * turn)
        known = motion_stops(system, moves, GAP)
        fresh = ContactSystem.of([torus(0.4, 0.12).body, sphere(0.3).body], poses, [])
        alone = motion_stops(fresh, moves, GAP)
        assert known.times.tolist() == alone.times.tolist()
        assert known.triangles.tolist() == alone.triangles.tolist()
        stopped.append(known.first < 1.0)
        poses[1] = at(poses[1].translation + np.array([1e-3, 1e-3, -1e-3]))
    assert any(stopped)
    assert not all(stopped)


def test_planes_are_kept_of_what_flies_far_without_turning() -> None:
    """Beside paths that do not bend, even the least quotient of two of their terms overflows."""
    poses = [at(np.zeros(3)), at([0.0, 0.0, 601.0])]
    system = ContactSystem.of([sphere(300.0).body, sphere(300.0).body], poses, [])
    for down in (-0.5, -0.4, 8.0, -0.5):
        found = motion_stops(system, paths(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, down]])), GAP)
        assert found.first == 1.0
    assert motion_stops(system, paths(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -2.0]])), GAP).first < 0.6
