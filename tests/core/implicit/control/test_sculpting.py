"""A surface that follows its control points, with floaters on it."""

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.implicit import FormulaFunction, Frozen, HalfSpaces, Spheres, blobby_spheres, union
from physplace_addon.core.implicit.control.control_points import ControlPoints
from physplace_addon.core.implicit.control.sculpting import Sculpting
from physplace_addon.core.implicit.control.state import SculptSettings, SculptState, SculptStatus
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.particles.floaters import Floaters, FloaterSettings
from tests.core.implicit.control.pulled_blobs import R, ball, off
from tests.core.implicit.even import crossings, density
from tests.core.implicit.surfaces import fourteen_spheres
from tests.core.implicit.wild import wild

COARSE = SculptSettings(FloaterSettings(0.15))


def at_work(
    blob: ImplicitFunction,
    settings: SculptSettings = COARSE,
    steps: int = 0,
    seed: int = 0,
    controls: ControlPoints | None = None,
    floaters: Floaters | None = None,
) -> Sculpting:
    made = Sculpting(blob, settings, np.random.default_rng(seed), controls=controls, floaters=floaters)
    for _ in range(steps):
        made.step()
    return made


def run_out(sculpting: Sculpting, most: int = 200) -> SculptState:
    """Step until it rests."""
    for _ in range(most):
        if sculpting.step().status is not SculptStatus.RUNNING:
            break
    return sculpting.state


def test_a_dragged_ball_is_followed_by_its_floaters_and_comes_to_rest() -> None:
    sculpting = at_work(ball(), steps=40)
    sculpting.drag(sculpting.add(np.array([R, 0.0, 0.0])), np.array([R + 0.5, 0.5, 0.0]))
    assert sculpting.status is SculptStatus.RUNNING
    state = run_out(sculpting)
    assert state.status is SculptStatus.SETTLED
    assert np.allclose(state.controls.position, [[R + 0.5, 0.5, 0.0]], rtol=0, atol=1e-3 * 0.15)
    assert off(state.function, state.floaters.positions).max() < 1e-5
    assert len(state.floaters) > 20
    still = sculpting.step()
    assert still.function is state.function  # at rest, nothing is done


def test_what_cannot_be_honoured_is_named() -> None:
    six = R * np.vstack([np.eye(3), -np.eye(3)])
    controls = ControlPoints.pinned([*six, [0.0, 2.0, 0.0]], [*"abcdef", "far"])
    state = run_out(at_work(ball(), controls=controls))
    assert state.status is SculptStatus.HELD_BACK
    assert 'control point "far" out of reach, by up to 1.5;' in state.message
    assert np.all(state.off[:6] < 1e-3 * 0.15)
    many = replace(state, stuck=np.ones(7, dtype=bool)).message
    assert 'control points "a", "b", "c" and 4 others out of reach' in many


def test_a_function_is_replaced_while_points_are_dragged() -> None:
    """Elements are taken away and added; points may come and go, too."""
    blob = fourteen_spheres()
    sculpting = at_work(blob, steps=30)
    for place in sculpting.state.floaters.positions[:3]:
        sculpting.add(place)
    sculpting.drag(1, np.array([1.0, 1.0, 1.0]))
    rows = blob.parameters[1:].reshape(-1, 4)
    for count in (13, 14, 9):
        sculpting.change_function(blobby_spheres(0.5, rows[:count, :3], rows[:count, 3]))
        for _ in range(15):
            state = sculpting.step()
        assert len(state.function.parameters) == 4 * count + 1
        assert np.isfinite(state.function.parameters).all()
    sculpting.remove(0)
    assert [sculpting.state.controls.names, len(sculpting.step().off)] == [("2", "3"), 2]


def test_after_many_changes_at_rest_there_are_as_many_floaters_as_fit() -> None:
    """Three balls torn apart and merged, grown and shrunk, and the radius of floaters made less and more."""
    draw, centres = np.random.default_rng(0), np.array([[-0.4, 0.0, 0.0], [0.4, 0.0, 0.0], [0.0, 0.5, 0.0]])
    sculpting = at_work(fourteen_spheres(), steps=30)
    for radius in (0.2, 0.08, 0.16):
        sculpting.settings = SculptSettings(FloaterSettings(radius))
        for spread in (0.1, 0.2, 1.0, 0.2):
            moved = centres + spread * draw.uniform(-1.0, 1.0, (3, 3))
            sculpting.change_function(blobby_spheres(0.5, moved, draw.uniform(0.4, 0.8, 3)))
            for _ in range(3):
                sculpting.step()
        for size in (0.8, 0.5):
            blob = blobby_spheres(0.5, centres, size)
            sculpting.change_function(blob)
            state = run_out(sculpting)
            assert state.status is SculptStatus.SETTLED
            area = crossings(blob, 0.4 * radius)[1]
            assert 0.28 <= density(state.floaters, area, radius) <= 0.39  # radii of 1 to .86 of the desired


@pytest.mark.parametrize("gone", [1, 4])
def test_pinned_points_are_come_back_to_when_an_element_is_taken_from_under_them(gone: int) -> None:
    """Whatever is dragged, and without losing another pinned point."""
    sculpting, near = at_work(fourteen_spheres(2), steps=15), 1e-3 * 0.15
    draw = np.random.default_rng(0)
    for place in draw.permutation(sculpting.state.floaters.positions)[:8]:
        sculpting.add(place)
    for index in range(4):
        sculpting.drag(index, draw.uniform(-2.5, 2.5, 3))
    for _ in range(5):
        sculpting.step()
    rows = np.delete(sculpting.state.function.parameters[1:].reshape(-1, 4), gone, axis=0)
    sculpting.change_function(blobby_spheres(0.5, rows[:, :3], rows[:, 3]))
    kept = sculpting.state.off[4:] < near
    assert not kept.all()
    for _ in range(5):
        state = sculpting.step()
        assert np.all(state.off[4:][kept] < near)
    assert np.all(np.maximum(state.off, state.left)[4:] < near)


def test_an_earlier_state_can_be_gone_back_to() -> None:
    sculpting = at_work(ball(), steps=20)
    sculpting.add(np.array([R, 0.0, 0.0]))
    early = sculpting.step()
    sculpting.drag(0, np.array([2.0, 0.0, 0.0]))
    for _ in range(10):
        sculpting.step()
    sculpting.resume_from(early)
    assert sculpting.state is early
    assert sculpting.step().function is early.function


def test_desired_velocities_move_what_control_points_leave_free() -> None:
    sculpting = at_work(ball(), steps=20)
    sculpting.add(np.array([R, 0.0, 0.0]))
    sculpting.desired = np.array([0.0, 0.0, 1.0, 0.0, 0.0])
    before = sculpting.state.function.parameters[2]
    for _ in range(10):
        state = sculpting.step()
    assert np.isclose(state.function.parameters[2] - before, 10 * 0.03, rtol=0.3)
    assert off(state.function, np.array([[R, 0.0, 0.0]]))[0] < 1e-3 * 0.15


def test_what_is_free_moves_as_desired_while_a_point_is_dragged_where_nothing_is() -> None:
    """What is wished of the normal there, and never can be, is no infinite desired_step."""
    apart = union([Spheres.of([[-2.0, 0.0, 0.0]], 1.0), Spheres.of([[2.0, 0.0, 0.0]], 1.0)])
    sculpting = at_work(Frozen(apart, np.arange(8) < 4), steps=5)
    sculpting.drag(sculpting.add(np.array([3.0, 0.0, 0.0])), np.array([3.5, 0.5, 0.0]))
    sculpting.desired = np.array([0.0, 1.0, 0.0, 0.0])
    for _ in range(5):
        state = sculpting.step()
    assert state.function.parameters == pytest.approx([-2.0, 5 * 0.03, 0.0, 1.0])


def test_floaters_are_denser_near_what_is_dragged_and_only_then() -> None:
    settings = SculptSettings(FloaterSettings(0.12, focus_size=0.4))
    sculpting = at_work(ball(2.0), settings, steps=40)
    sculpting.drag(sculpting.add(np.array([2.0 * R, 0.0, 0.0])), np.array([2.0 * R + 0.1, 0.0, 0.0]))
    counts = []
    for _ in range(80):
        state = sculpting.step()
        near = np.linalg.norm(state.floaters.positions - state.controls.position[0], axis=1) < 0.25
        counts.append(near.sum())
    assert state.floaters.desired[near].max() < 0.11
    assert np.mean(counts[-20:]) > 1.5 * counts[0]  # of so few, one more or less comes and goes
    sculpting.release(0)
    sculpting.step()
    assert np.all(sculpting.state.floaters.desired == 0.12)


def test_a_surface_that_vanishes_is_reported_and_may_come_back() -> None:
    sculpting = at_work(ball(), steps=20)
    sculpting.change_function(blobby_spheres(1.5, [[0.0, 0.0, 0.0]], 0.6))
    sculpting.step()
    assert sculpting.status is SculptStatus.VANISHED
    assert "enlarge" in sculpting.state.message
    sculpting.change_function(ball())
    assert len(run_out(sculpting).floaters) > 20


def test_a_surface_is_not_pulled_to_infinity_and_can_be_pulled_back() -> None:
    formula = FormulaFunction.read("a*x^2 + b*y^2 + z^2 - 1", {"a": 1.0, "b": 1.0})
    sculpting = at_work(formula, SculptSettings(FloaterSettings(0.3)), steps=10)
    sculpting.drag(sculpting.add(np.array([1.0, 0.0, 0.0]), "up"), np.array([0.2, 0.0, 1.2]))
    state = run_out(sculpting)
    assert state.status is SculptStatus.ENDLESS
    assert 'control point "up" out of reach' in state.message
    assert np.isfinite(state.function.box()).all()
    sculpting.drag(0, np.array([1.2, 0.0, 0.0]))
    assert run_out(sculpting).status is SculptStatus.SETTLED
    sculpting.change_function(HalfSpaces.of([0.0, 0.0, 1.0], [0.0, 0.0, 0.0]))
    assert "infinite" in sculpting.step().message
    sculpting.change_function(formula)
    assert sculpting.step().status is SculptStatus.RUNNING


def test_sculpting_does_not_make_a_surface_vanish() -> None:
    sculpting = at_work(ball(), steps=20)
    sculpting.desired = np.array([1.0, 0.0, 0.0, 0.0, 0.0])  # of the bias: at 1 there is nothing left
    for _ in range(40):
        state = sculpting.step()
        assert len(state.floaters)
    assert 0.9 < state.function.parameters[0] < 1.0
    assert state.status is SculptStatus.HELD_BACK


def test_a_point_dragged_across_another_ball_swells_nothing() -> None:
    balls = blobby_spheres(0.5, [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]], 0.8)
    sculpting = Sculpting(balls, SculptSettings(FloaterSettings(0.2)), np.random.default_rng(0))
    for _ in range(20):
        sculpting.step()
    places = sculpting.state.floaters.positions
    start = places[np.argmin(places[:, 0])].copy()
    point = sculpting.add(start)
    for step in range(150):
        sculpting.drag(point, start + min(0.06 * step, 7.0) * np.eye(3)[0])
        state = sculpting.step()
        assert state.function.parameters[4::4].max() < 1.0
    assert state.left[point] < 0.1


def test_wild_interaction_breaks_nothing() -> None:
    """A seeded share of what benchmarks/blobs.py --wild 10000 does."""
    found = wild(4, 200)
    assert (found.broken, found.lost) == (0, 0)
    assert found.off < 1e-3


def test_a_point_where_the_slope_is_not_defined_is_not_met_and_stops_nothing() -> None:
    torus = FormulaFunction.read("(sqrt(x^2 + y^2) - R)^2 + z^2 - r^2", {"R": 0.7, "r": 0.3})
    settings = SculptSettings(FloaterSettings(0.08))
    points = [[0.0, 0.0, 0.1], [1.0, 0.0, 0.0], [0.0, 0.9, 0.1]]
    state = run_out(at_work(torus, settings, controls=ControlPoints.pinned(points)), most=60)
    assert np.isfinite(state.function.parameters).all()
    assert np.isfinite(state.off).all()
    axis = np.zeros((1, 3))
    state = run_out(at_work(torus, settings, controls=ControlPoints.pinned(axis)), most=60)
    met = abs(float(state.function.value(axis)[0])) < 1e-3
    assert met or state.status is not SculptStatus.SETTLED
