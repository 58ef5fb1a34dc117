"""A surface after its control points, without floaters: what a step must give, whatever is asked."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy import optimize
from scipy.spatial.transform import Rotation

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import Blob, blobby_spheres
from physplace_addon.core.implicit.control.constraint_equations import StepLimits
from physplace_addon.core.implicit.control.control_points import ControlPoints
from physplace_addon.core.implicit.control.corrected_step import SurfaceStep
from physplace_addon.core.implicit.control.surface_step import surface_step
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.functions.frozen import Frozen
from physplace_addon.core.implicit.functions.transformed import Moved
from physplace_addon.core.implicit.projection import closest_points
from tests.core.implicit.control.pulled_blobs import R, ball, by_motion, off, samples, sculpted
from tests.core.implicit.surfaces import fourteen_spheres


def test_pinned_points_stay_on_a_surface_that_is_pulled_about() -> None:
    lump = fourteen_spheres()
    blob: ImplicitFunction = lump
    places, draw = samples(lump, 10), np.random.default_rng(2)
    controls = ControlPoints.pinned(places)
    worst: list[float] = []
    for _ in range(12):
        controls = controls.dragged_to(0, draw.uniform(-2.0, 2.0, 3))
        blob, controls = sculpted(
            blob, controls, 5, watch=lambda made: worst.append(off(made.function, places[1:]).max())
        )
    assert max(worst) < 1e-3 * 0.12  # of the radius of 420 floaters on it
    assert np.linalg.norm(controls.position[0] - places[0]) > 0.5
    assert np.array_equal(controls.position[1:], places[1:])


@pytest.mark.parametrize(("keep_normals", "comes_along"), [(True, 0.999), (False, 0.2)])
def test_a_ball_held_at_its_side_and_pulled_along_itself_comes_along(
    keep_normals: bool, comes_along: float
) -> None:
    """Slippery: without the grip, the point slides over the ball and blows it up."""
    controls = ControlPoints.pinned([[R, 0.0, 0.0]]).dragged_to(0, np.array([R, 1.0, 0.0]))
    blob, controls = sculpted(ball(), controls, 40, keep_normals=keep_normals)
    assert controls.distance_left[0] < 1e-4
    assert off(blob, controls.position)[0] < 1e-4
    assert (blob.parameters[2] > comes_along) == keep_normals


def test_a_ball_that_can_only_slide_along_itself_comes_along() -> None:
    """No parameter moves the surface at the point: only the grip tells where the ball is to go."""
    turn = np.eye(4)
    turn[:3, :3] = Rotation.from_rotvec([0.3, 0.5, 0.4]).as_matrix()
    slide = Moved(Frozen(ball(), np.array([False, False, True, False, False])), turn)
    beside, target = np.array([[R, 0.0, 0.0], [R, 1.0, 0.0]]) @ turn[:3, :3].T
    blob, _ = sculpted(slide, ControlPoints.pinned([beside]).dragged_to(0, target), 40)
    assert np.allclose(blob.parameters, 1.0, rtol=0, atol=1e-3)


def test_a_dragged_point_that_the_pinned_hold_back_stays_on_the_surface() -> None:
    six = R * np.vstack([np.eye(3), -np.eye(3)])
    blob, controls = sculpted(ball(), ControlPoints.pinned(six).dragged_to(0, np.array([2.0, 0.3, 0.0])), 30)
    assert off(blob, controls.position).max() < 1e-4
    assert np.allclose(blob.parameters, ball().parameters, rtol=0, atol=1e-3)
    assert controls.position[0] @ [2.0, 0.3, 0.0] > R * 2.0  # it slid over the ball, towards the cursor


@pytest.mark.parametrize(("farthest", "stride"), [(1.1, 0.2), (1.7, 0.05)])
def test_pins_that_no_ball_passes_through_end_at_the_least_sum_of_squares(
    farthest: float, stride: float
) -> None:
    """Beside scipy's own least squares from the same start; one pin is farther off than a step may go."""
    seven = ControlPoints.pinned(R * np.vstack([np.eye(3), -np.eye(3), [0.0, farthest, 0.0]]))
    start = Frozen(ball(), np.arange(5) > 0)  # bias and radius do nearly the same
    blob, _ = sculpted(start, seven, 25, stride=stride)

    def distances(q: Floats) -> Floats:
        value, gradient = start.with_parameters(q).gradient(seven.target)
        return np.asarray(value / np.linalg.norm(gradient, axis=1))

    best = distances(np.asarray(optimize.leastsq(distances, start.parameters)[0]))
    found = distances(blob.parameters)
    assert found @ found <= 1.01**2 * (best @ best)


def test_pins_that_no_ball_passes_through_end_at_the_least_sum_whatever_is_dragged() -> None:
    pins = R * np.vstack([np.eye(3), -np.eye(3), [0.0, 1.1, 0.0]])
    start, steps = Frozen(ball(), np.arange(5) > 0), list[SurfaceStep]()
    alone, _ = sculpted(start, ControlPoints.pinned(pins), 25)
    controls = ControlPoints.pinned([*pins, R * np.array([0.0, 0.6, 0.8])]).dragged_to(7, np.full(3, 2.0))
    pulled, _ = sculpted(start, controls, 25, watch=steps.append)
    assert np.allclose(pulled.parameters, alone.parameters, rtol=0, atol=1e-3)
    found = [[] if made.out_of_reach is None else made.out_of_reach.tolist() for made in steps]
    assert found == 25 * [7 * [True] + [False]]


@pytest.mark.parametrize("target", [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.3]])
def test_a_point_where_the_gradient_is_zero_can_be_pulled(target: Sequence[float]) -> None:
    """Two balls that just touch: F and F_x are zero in between."""
    apart = 0.6 * np.sqrt(np.log(4.0))
    blob: ImplicitFunction = blobby_spheres(0.5, [[-apart, 0.0, 0.0], [apart, 0.0, 0.0]], 0.6)
    assert np.abs(blob.gradient(np.zeros((1, 3)))[1]).max() < 1e-15
    blob, controls = sculpted(
        blob, ControlPoints.pinned([[0.0, 0.0, 0.0]]).dragged_to(0, np.array(target)), 60
    )
    assert controls.distance_left[0] < 1e-3
    assert np.abs(blob.value(controls.position)).max() < 1e-4
    assert np.isfinite(blob.parameters).all()


def test_radii_stay_positive_when_a_ball_is_squeezed_to_nothing() -> None:
    def watch(made: SurfaceStep) -> None:
        assert made.function.parameters[-1] > 0.0
        assert made.function.parameters[0] > 0.0

    ends = ControlPoints.pinned([[R, 0.0, 0.0], [-R, 0.0, 0.0]])
    sculpted(ball(), ends.dragged_to(0, np.array([-R, 0.0, 0.0])), 80, watch=watch)
    four = ControlPoints.pinned(R * np.vstack([np.eye(3), -np.eye(3)]))
    for index in range(6):
        four = four.dragged_to(index, np.zeros(3))
    sculpted(ball(), four, 80, watch=watch)


@pytest.mark.parametrize("far", [2.0, 500.0])
def test_the_surface_comes_to_a_pin_that_is_put_far_off(far: float) -> None:
    place = np.array([[far, 0.0, 0.0]])
    on = closest_points(ball(), place, 1.0, np.array([[0.0, R, 0.0]]))
    assert off(ball(), on)[0] < 1e-9
    controls = ControlPoints.pinned(place).moved_to_surface(np.array([True]), on)
    blob, controls = sculpted(ball(), controls, 10)
    assert off(blob, controls.position)[0] < 1e-4
    assert np.linalg.norm(controls.position - on) > 1.0


@pytest.mark.parametrize(("size", "shift"), [(1e-3, 0.0), (1e3, 0.0), (1.0, 1e4)])
def test_the_same_happens_at_any_scale_and_place(size: float, shift: float) -> None:
    def end_of_drag(size: float, shift: float) -> Floats:
        at = np.array([[R, 0.0, 0.0], [-R, 0.0, 0.0], [0.0, R, 0.0]]) * size + shift
        controls = ControlPoints.pinned(at).dragged_to(0, np.array([1.2, 0.4, 0.1]) * size + shift)
        _, controls = sculpted(ball(size, [shift] * 3), controls, 12, 2.0 * size)
        return (controls.position - shift) / size

    assert np.allclose(end_of_drag(size, shift), end_of_drag(1.0, 0.0), rtol=0, atol=1e-7)


def circled(remembering: bool) -> tuple[Floats, int]:
    """A point led about in circles, nine others pinned: the parameters, and how many looks it took."""
    blob = fourteen_spheres()
    looks: list[int] = []
    controls, made = ControlPoints.pinned(samples(blob, 10)), None
    start, metric = controls.position[0], by_motion(blob, samples(blob, 200))
    limits = StepLimits(0.1, 3e-5, 3.0, 0.06, blob.positive, blob.scales)
    with pytest.MonkeyPatch.context() as patch:
        derivatives = Blob.derivatives

        def looked(blob: Blob, x: Floats) -> object:
            looks.append(len(x))
            return derivatives(blob, x)

        patch.setattr(Blob, "derivatives", looked)
        for turn in 0.05 * np.arange(120.0):
            controls = controls.dragged_to(
                0, start + 0.15 * np.array([np.sin(turn), 1.0 - np.cos(turn), 0.0])
            )
            last = made if remembering else None
            made = surface_step(
                blob, controls, np.zeros(57), lambda _: metric, limits, np.zeros((0, 3)), last
            )
            assert isinstance(made.function, Blob)
            blob, controls = made.function, made.controls
            assert off(blob, controls.position).max() < limits.near
    return blob.parameters, len(looks)


def test_a_point_that_goes_on_as_it_went_is_followed_at_the_first_look() -> None:
    with_memory, without = circled(True), circled(False)
    assert with_memory[1] <= 125 < 300 <= without[1]
    assert np.allclose(with_memory[0], without[0], rtol=0, atol=1e-3)


def test_a_pin_where_the_function_is_flat_keeps_no_others_from_being_met() -> None:
    start = ball()
    moved = start.with_parameters(start.parameters + np.array([0.0, 0.1, 0.05, 0.0, 0.02]))
    places = R * np.concatenate([np.eye(3), -np.eye(3)])
    held = Frozen(moved, np.arange(5) > 0)
    made, _ = sculpted(held, ControlPoints.pinned(np.concatenate([places, [[0.0, 0.0, 0.0]]])), 25)
    assert off(made, places).max() < 1e-3 * R
