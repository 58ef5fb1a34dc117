"""Contacts that may not separate (paper, 4.2): made so and let go in the running placement."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Ints
from physplace_addon.core.contact.system import BilateralContacts
from physplace_addon.core.errors import PlacementError
from physplace_addon.core.placement import Local, Placement, Settings, Status, contact_forces
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import box, floor, sphere

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
LIFTING = Settings(check_energy=False, step_limit=8)
PULL = [Local(np.zeros(3), np.array([0.6, 0.0, 0.8]), strength=3.0)]


def block(height: float = 0.5) -> Placement:
    placement = Placement(box((0.5, 0.5, 0.5)).body, Pose(UPRIGHT, np.array([0.0, 0.0, height])), [floor()])
    assert placement.run().status is Status.BALANCED
    return placement


def touching(placement: Placement) -> Ints:
    return np.nonzero(placement.state.points.gap < 1e-8)[0]


def tied_at(placement: Placement, rows: Ints) -> Placement:
    """Go on from a placement with the contacts of these rows bilateral, too."""
    state = placement.state
    return placement.branch(bilateral=state.bilateral.with_all(state.local_points.take(rows)))


def let_go(placement: Placement, rows: Ints) -> Placement:
    """Go on from a placement with the contacts of these rows free to separate."""
    state = placement.state
    return placement.branch(bilateral=state.bilateral.without(state.local_points, rows))


def height_of(placement: Placement) -> float:
    return float(placement.state.pose.translation[2])


def test_what_is_not_tied_is_lifted_by_a_pull() -> None:
    pulled = block().branch(settings=LIFTING, forces=PULL)
    pulled.run()
    assert height_of(pulled) > 0.6


def test_bilateral_contacts_slide_but_do_not_separate_and_once_released_they_do() -> None:
    placement = block()
    placement = tied_at(placement, touching(placement))
    assert placement.status is Status.RUNNING
    pulled = placement.branch(settings=LIFTING, forces=PULL)
    for _ in range(8):
        pulled.step()
        assert abs(height_of(pulled) - 0.5) < 1e-9
        assert pulled.state.pose.matrix[2, 2] > 1.0 - 1e-12
    assert pulled.state.pose.translation[0] > 0.1
    forces = contact_forces(pulled.problem, pulled.state)
    assert len(forces.bilateral) == len(forces.forces)
    assert forces.forces.sum() < -1.0  # they pull: 0.8 times 3, less the weight
    free = let_go(pulled, forces.rows)
    assert len(free.state.bilateral) == 0
    free.run()
    assert height_of(free) > 0.6


def test_one_contact_that_is_let_go_leaves_the_others_tied() -> None:
    placement = block()
    placement = tied_at(placement, touching(placement))
    rows, count = touching(placement), len(placement.state.bilateral)
    placement = let_go(placement, rows[:1])
    assert len(placement.state.bilateral) == count - 1
    placement = tied_at(placement, touching(placement))
    assert len(placement.state.bilateral) == count


def test_a_branch_keeps_bilateral_contacts_unless_others_are_given() -> None:
    placement = block()
    first = placement.state.bilateral.toggled(placement.state.local_points, int(touching(placement)[0]))
    assert len(first) == 1
    tied = placement.branch(bilateral=first)
    assert len(tied.state.bilateral) == 1
    assert len(tied.branch().state.bilateral) == 1
    again = first.toggled(tied.state.local_points, int(first.rows(tied.state.local_points)[0]))
    assert len(tied.branch(bilateral=again).state.bilateral) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("pair", "count"), [((0, 1), 0), ((0, 2), 4)])
def test_the_contacts_of_a_pair_become_bilateral_where_they_first_touch(
    pair: tuple[int, int], count: int
) -> None:
    aside = np.eye(4)
    aside[:3, 3] = [6.0, 0.0, 0.5]
    wall = box((0.5, 0.5, 0.5)).body.transformed(aside)
    body, pose = box((0.5, 0.5, 0.5)).body, Pose(UPRIGHT, np.array([0.0, 0.0, 1.0]))
    placement = Placement(body, pose, [wall, floor()], bilateral_pairs=[pair])
    assert len(placement.state.bilateral) == 0
    placement.run()
    assert len(placement.state.bilateral.rows(placement.state.local_points)) == count
    pulled = placement.branch(settings=LIFTING, forces=PULL)
    pulled.run()
    assert bool(height_of(pulled) < 0.5 + 1e-6) is (count > 0)


@pytest.mark.parametrize("pair", [(0, 0), (1, 2), (0, 3), (-1, 0)])
def test_a_pair_is_of_a_moving_body_and_another_one(pair: tuple[int, int]) -> None:
    with pytest.raises(PlacementError, match="bilateral"):
        Placement(
            sphere(0.5).body,
            Pose(UPRIGHT, np.array([0.0, 0.0, 2.0])),
            [floor(), floor()],
            bilateral_pairs=[pair],
        )


def test_the_contacts_of_a_pair_that_are_let_go_stay_so_while_they_touch() -> None:
    body, pose = box((0.5, 0.5, 0.5)).body, Pose(UPRIGHT, np.array([0.0, 0.0, 1.0]))
    placement = Placement(body, pose, [floor()], bilateral_pairs=[(0, 1)])
    assert placement.run().status is Status.BALANCED
    assert len(placement.state.bilateral) > 0
    free = let_go(placement, touching(placement))
    free.run()
    assert len(free.state.bilateral) == 0
    pulled = free.branch(settings=LIFTING, forces=PULL)
    pulled.run()
    assert height_of(pulled) > 0.6


def test_a_branch_begins_with_the_contacts_of_its_pairs_as_a_placement_begun_there_does() -> None:
    placement = block()
    pulled = placement.branch(settings=LIFTING, forces=PULL, bilateral_pairs=[(0, 1)])
    begun = Placement(
        placement.setup.bodies[0], placement.state.pose, [floor()], LIFTING, PULL, bilateral_pairs=[(0, 1)]
    )
    assert len(pulled.state.bilateral) == len(begun.state.bilateral) == 4
    for each in (pulled, begun):
        each.run()
    assert np.abs(pulled.state.pose.translation - begun.state.pose.translation).max() < 1e-9
    assert abs(height_of(pulled) - 0.5) < 1e-9
    none = placement.branch(bilateral=BilateralContacts.none(), bilateral_pairs=[(0, 1)])
    assert len(none.state.bilateral) == 0


def test_a_branch_does_not_tie_what_was_let_go_of_pairs_that_were_there_before() -> None:
    body, pose = box((0.5, 0.5, 0.5)).body, Pose(UPRIGHT, np.array([0.0, 0.0, 0.5]))
    placement = Placement(body, pose, [floor()], bilateral_pairs=[(0, 1)])
    free = let_go(placement, touching(placement)[:1])
    assert len(free.branch(bilateral_pairs=[(0, 1)]).state.bilateral) == 3


def test_what_is_tied_to_a_ceiling_hangs_from_it_and_falls_once_let_go() -> None:
    above = np.eye(4)
    above[2, 3] = 2.5
    ceiling = box((2.0, 2.0, 0.5)).body.transformed(above)
    start = Pose(UPRIGHT, np.array([0.0, 0.0, 1.5 - 1e-9]))
    placement = Placement(box((0.5, 0.5, 0.5)).body, start, [ceiling, floor()], bilateral_pairs=[(0, 1)])
    certificate = placement.run()
    assert certificate.status is Status.BALANCED
    assert abs(height_of(placement) - 1.5) < 1e-8
    assert abs(certificate.contacts.force.sum() + 1.0) < 1e-9  # they pull
    free = let_go(placement, touching(placement))
    assert free.run().status is Status.BALANCED
    assert abs(height_of(free) - 0.5) < 1e-8


def test_a_tied_ball_goes_round_another_to_where_it_hangs_lowest() -> None:
    above = np.eye(4)
    above[2, 3] = 3.0
    dome = sphere(1.0, resolution=(16, 8)).body.transformed(above)
    start = Pose(UPRIGHT, np.array([0.0, 0.0, 1.7 - 1e-9]))
    placement = Placement(sphere(0.3, resolution=(16, 8)).body, start, [dome], bilateral_pairs=[(0, 1)])
    certificate = placement.run()
    assert certificate.status is Status.BALANCED
    assert certificate.stable
    aside = placement.branch(settings=Settings(gravity=(0.28, 0.0, -0.96), eps_max=0.2))
    assert aside.run().status is Status.BALANCED
    assert np.abs(aside.state.pose.translation - [0.364, 0.0, 1.752]).max() < 1e-9
