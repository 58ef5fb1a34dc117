"""A container is filled with copies from one start pose until it is full or there are enough."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies import Body, merge
from physplace_addon.core.errors import PlacementError
from physplace_addon.core.jobs import finished
from physplace_addon.core.placement import Settings, Status, check, fill
from physplace_addon.core.placement.replication import Spacing, Turn, Turns, filling
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import BOWL, box, floor, sphere, turned

START = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.03, 0.02, 4.0]))
QUICK = Settings(eps_max=0.2)


@pytest.mark.slow
def test_balls_in_a_bowl_lie_apart_inside_it_each_at_a_stable_rest() -> None:
    ball, bowl = sphere(0.42, resolution=(24, 12)).body, turned("bowl", BOWL, resolution=(41, 61)).body
    placed = fill(ball, START, [bowl, floor()], QUICK, count=5, container=bowl).placed
    assert len(placed) == 5
    centres = np.array([placement.state.pose.translation for placement in placed])
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)[np.triu_indices(5, 1)]
    assert apart.min() >= 0.84 - 1e-9
    for placement in placed:
        certificate = placement.certificate()
        assert certificate.status is Status.BALANCED
        assert certificate.stable


def crate() -> list[Body]:
    """An open box, inner width 1.1 and depth 2.2."""
    parts = [([0, 0, -0.05], [0.65, 0.65, 0.05])]
    parts += [([x, 0, 1.1], [0.05, 0.65, 1.1]) for x in (0.6, -0.6)]
    parts += [([0, y, 1.1], [0.65, 0.05, 1.1]) for y in (0.6, -0.6)]
    walls = []
    for centre, half in parts:
        matrix = np.eye(4)
        matrix[:3, 3] = centre
        walls.append(box(half).body.transformed(matrix))
    return walls


def test_a_container_is_full_when_a_copy_would_stand_higher_than_heaped() -> None:
    walls = merge(crate(), "crate")
    cube = box((0.5, 0.5, 0.5)).body
    start = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.02, 0.01, 5.0]))
    filled = fill(cube, start, [walls, floor()], QUICK, container=walls)
    assert len(filled.placed) == 3
    assert "too high" in filled.reason
    heights = [placement.state.pose.translation[2] for placement in filled.placed]
    assert np.abs(np.array(heights) - [0.5, 1.5, 2.5]).max() < 1e-8


def test_a_copy_that_lies_close_beside_the_container_is_not_in_it() -> None:
    walls, cube = merge(crate(), "crate"), box((0.1, 0.1, 0.1)).body
    start = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.78, 0.0, 1.0]))  # .13 from the wall's outside
    filled = fill(cube, start, [walls, floor()], QUICK, container=walls)
    assert not filled.placed
    assert "beside the container" in filled.reason


def test_filling_in_slices_says_which_copy_falls_and_can_be_left() -> None:
    ball, bowl = sphere(0.42, resolution=(41, 21)).body, turned("bowl", BOWL, resolution=(41, 61)).body
    start = Pose(START.rotation, np.array([0.5, 0.0, 4.0]))
    job = filling(ball, start, [bowl], QUICK, count=2)
    words = [next(job).words for _ in range(3)]
    assert words == ["Copy 1 of 2: step 1", "Copy 1 of 2: step 2", "Copy 1 of 2: step 3"]
    job.close()
    assert len(finished(filling(ball, start, [bowl], QUICK, count=1)).placed) == 1


def test_a_copy_without_room_in_a_container_is_the_last_and_says_what_is_in_its_way() -> None:
    cube, walls = box((0.5, 0.5, 0.5)).body, merge(crate(), "crate")
    start = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.02, 0.01, 1.2]))
    filled = fill(cube, start, [walls, floor()], QUICK, container=walls)
    assert len(filled.placed) == 1
    assert filled.reason == f'it overlaps "{cube.name}": move it clear'


def test_of_a_number_of_copies_those_without_room_begin_at_the_nearest_place_that_has() -> None:
    cube = box((0.5, 0.5, 0.5)).body
    start = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.2]))
    filled = fill(cube, start, [floor()], QUICK, count=3)
    assert filled.reason == ""
    begun = np.array([placement.states[0].pose.translation for placement in filled.placed])
    moved = np.linalg.norm(begun - start.translation, axis=1)
    assert moved[0] == 0.0
    assert 0.3 - 1e-6 <= moved[1] <= 0.3 + 1e-3  # the first cube reaches up to 1, this one down to .7
    farther = np.linalg.norm(begun[2] - begun[1])  # the third is cleared from where the second began
    assert farther == pytest.approx(1.0, abs=1e-3)
    for i, placement in enumerate(filled.placed):
        others = [other.setup.bodies[0].transformed(other.state.pose.matrix4) for other in filled.placed[:i]]
        assert check(cube, placement.state.pose, [floor(), *others]).status is not Status.INTERFERING_START


def test_the_same_copy_is_turned_alike_whatever_fell_before_it() -> None:
    cube, turns = box((0.5, 0.5, 0.5)).body, Turns(Turn.ANY, seed=3)
    start = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 9.0]))
    placed = fill(cube, start, [floor()], QUICK, count=3, turns=turns).placed
    expected = [turns.turned(i, start, cube.mass.center, QUICK.gravity) for i in range(3)]
    begun = [placement.setup.poses[0] for placement in placed]
    assert np.allclose([p.rotation for p in begun], [p.rotation for p in expected], rtol=0.0, atol=1e-15)
    assert np.allclose([p.translation for p in begun], start.translation, rtol=0.0, atol=1e-12)


def test_enough_copies_need_no_reason() -> None:
    cube = box((0.5, 0.5, 0.5)).body
    start = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 2.2]))
    assert fill(cube, start, [floor()], QUICK, count=2).reason == ""


def test_what_was_placed_keeps_its_coefficient_of_friction() -> None:
    cube = box((0.5, 0.5, 0.5)).body
    start = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 2.2]))
    settings = Settings(eps_max=0.2, surface_friction=(0.5, 0.7))
    first, second = fill(cube, start, [floor()], settings, count=2).placed
    assert first.settings.surface_friction == (0.5, 0.7)
    assert second.settings.surface_friction == (0.5, 0.7, 0.5)
    assert second.status.at_rest
    with pytest.raises(PlacementError, match="expected 3 coefficients, found 2"):
        first.branch(world=[floor(), floor()])


def test_filling_without_an_end_is_refused() -> None:
    with pytest.raises(PlacementError, match="number of copies or a container"):
        fill(sphere(0.4).body, START, [floor()])


def test_a_flat_thing_is_no_container() -> None:
    with pytest.raises(PlacementError, match='"floor": a flat thing'):
        fill(sphere(0.4).body, START, [floor()], container=floor())


def test_with_a_margin_copies_lie_side_by_side_away_from_each_other_and_from_what_lies_there() -> None:
    plate = box((0.4, 0.2, 0.05)).body
    start = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.3]))
    lying = plate.transformed(Pose(start.rotation, np.array([0.0, 0.0, 0.05])).matrix4)
    placed = finished(
        filling(plate, start, [floor(), lying], QUICK, count=4, spacing=Spacing(0.1, (lying,)))
    ).placed
    places = np.array([np.zeros(3), *[copy.state.pose.translation for copy in placed]])
    np.testing.assert_allclose(places[1:, 2], 0.05, atol=1e-9)
    gaps = np.abs(places[:, None, :2] - places[None, :, :2]) - (0.8, 0.4)
    assert gaps.max(axis=2)[np.triu_indices(5, 1)].min() >= 0.1 - 1e-9


def test_with_a_margin_a_tray_is_full_when_it_is_covered() -> None:
    tray, cube = box((0.5, 0.5, 0.1)).body, box((0.1, 0.1, 0.1)).body
    start = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.25]))
    filled = fill(cube, start, [tray], QUICK, container=tray, spacing=Spacing(0.1))
    assert len(filled.placed) == 9
    heights = [copy.state.pose.translation[2] for copy in filled.placed]
    np.testing.assert_allclose(heights, 0.2, atol=1e-9)
