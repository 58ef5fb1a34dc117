from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import (
    Ellipsoids,
    FloaterSettings,
    ImplicitFunction,
    Sampling,
    Spheres,
    blobby_spheres,
    difference,
    union,
)
from physplace_addon.core.implicit.functions.gaussians.blob import Blob
from physplace_addon.core.implicit.particles import component_seeding
from physplace_addon.core.implicit.particles.floaters import Floaters
from physplace_addon.core.implicit.surface_components.component_search import SurfaceComponents, components_of
from tests.core.implicit.random_parts import random_scene

R = 0.15


def balls(places: Sequence[float], radii: Sequence[float]) -> Blob:
    return blobby_spheres(0.5, [[x, 0.0, 0.0] for x in places], radii)


def on_each(floaters: Floaters, places: Sequence[float] | Floats, reach: float = 0.7) -> list[int]:
    """How many floaters are at each of the places on the x axis."""
    return [int((np.abs(floaters.positions[:, 0] - x) < reach).sum()) for x in places]


def settled(function: Blob, steps: int = 50) -> tuple[Sampling, Floaters]:
    sampling = Sampling(FloaterSettings(R), np.random.default_rng(0))
    floaters = sampling.first_floaters(function)
    for _ in range(steps):
        floaters = sampling.advance(floaters, function)
    return sampling, floaters


def test_each_component_gets_one_seed() -> None:
    sampling = Sampling(FloaterSettings(R), np.random.default_rng(0))
    assert on_each(sampling.first_floaters(balls([0.0, 3.0, 6.0], [0.6, 0.3, 0.6])), [0.0, 3.0, 6.0]) == [
        1,
        1,
        1,
    ]


def test_a_ball_that_appears_has_floaters_within_thirty_steps() -> None:
    before = balls([0.0, 2.0], [0.6, 0.6])
    sampling, floaters = settled(before)
    after = balls([0.0, 2.0, 4.0], [0.6, 0.6, 0.3])
    floaters = sampling.advance(floaters, before, None, after)
    for _ in range(30):
        floaters = sampling.advance(floaters, after)
    assert min(on_each(floaters, [0.0, 2.0, 4.0])) > 0


def test_a_ball_much_smaller_than_a_floaters_share_of_the_area_is_not_overlooked() -> None:
    before = balls([0.0, 9.0], [0.6, 0.6])
    sampling, floaters = settled(before)
    after = balls([0.0, 4.1234, 9.0], [0.6, 0.02, 0.6])
    floaters = sampling.advance(floaters, before, None, after)
    for _ in range(30):
        floaters = sampling.advance(floaters, after)
        assert len(floaters) < 1000
    assert on_each(floaters, [4.1234], 0.05)[0] > 0


def test_of_small_balls_side_by_side_each_has_floaters_within_thirty_steps_and_keeps_them() -> None:
    before = balls([0.0], [0.6])
    sampling, floaters = settled(before)
    places = np.linspace(1.5, 4.5, 10)
    after = balls([0.0, *places], [0.6] + 10 * [0.1])
    fewest = []
    for _ in range(80):
        floaters = sampling.advance(floaters, after)
        fewest.append(min(on_each(floaters, places, 0.1)))
    assert min(fewest[30:]) > 0


def test_a_ball_that_vanishes_leaves_no_floaters() -> None:
    before = balls([0.0, 3.0], [0.6, 0.6])
    sampling, floaters = settled(before)
    after = balls([0.0], [0.6])
    floaters = sampling.advance(floaters, before, None, after)
    assert on_each(floaters, [0.0, 3.0])[1] == 0
    value, gradient = after.gradient(floaters.positions)
    assert (np.abs(value) <= 1e-3 * R * np.linalg.norm(gradient, axis=1)).all()


def test_one_that_splits_has_floaters_on_both_parts_and_none_when_all_is_gone() -> None:
    before = balls([-0.3, 0.3], [0.6, 0.6])
    sampling, floaters = settled(before)
    for gap in np.linspace(0.35, 1.5, 20):
        after = balls([-gap, gap], [0.6, 0.6])
        rate = (after.parameters - before.parameters) / 0.03
        floaters, before = sampling.advance(floaters, before, rate, after), after
    assert min(on_each(floaters, [-1.5, 1.5])) > 10
    nothing = blobby_spheres(5.0, [[0.0, 0.0, 0.0]], 0.5)
    floaters = sampling.advance(floaters, before, None, nothing)
    assert len(floaters) == 0
    assert len(sampling.advance(floaters, nothing, None, before)) > 0


def test_that_a_drag_leaves_one_component_is_seen_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a search finds is carried along until the surface splits, and each part has floaters then."""
    searched: list[int] = []

    def counted(*args: Any) -> SurfaceComponents:
        found = components_of(*args)
        searched.append(len(found))
        return found

    monkeypatch.setattr(component_seeding, "components_of", counted)

    def at(apart: float) -> Blob:
        return balls([0.0, apart], [0.6, 0.4])

    sampling, floaters = settled(at(0.6))
    floaters, before = after_steps(sampling, floaters, at(0.6), np.arange(0.6, 0.8, 0.0005).tolist(), at)
    assert searched == [1]
    floaters, _ = after_steps(sampling, floaters, before, np.arange(0.8, 2.0, 0.01).tolist(), at)
    assert searched[-1] == 2
    assert min(on_each(floaters, [0.0, 2.0])) > 10


def after_steps(
    sampling: Sampling,
    floaters: Floaters,
    before: ImplicitFunction,
    places: Sequence[float],
    at: Callable[[float], Any],
) -> tuple[Floaters, ImplicitFunction]:
    """The floaters, and the function, after steps in which it becomes that at each of some places."""
    for place in places:
        after = at(place)
        rate = (after.parameters - before.parameters) / sampling.settings.time_step
        floaters, before = sampling.advance(floaters, before, rate, after), after
    return floaters, before


def test_of_several_components_each_keeps_floaters_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked up at last who is on which, in the boxes of the proof that was carried along."""
    boxes: list[bool] = []

    def counted(*args: Any) -> SurfaceComponents:
        boxes.append(len(args) > 3 and args[3] is not None)
        return components_of(*args)

    monkeypatch.setattr(component_seeding, "components_of", counted)

    def at(x: float) -> Blob:
        return blobby_spheres(0.5, [[x, 0.0, 0.0], [2.0, 0.0, 0.0], [4.0, 0.0, 0.0]], [0.6, 0.4, 0.6])

    sampling, floaters = settled(at(0.0))
    assert boxes == [False]
    floaters, _ = after_steps(sampling, floaters, at(0.0), np.linspace(0.0, 0.3, 300).tolist(), at)
    assert boxes[1:] == [True, True]
    assert min(on_each(floaters, [0.3, 2.0, 4.0])) > 10


def test_a_component_that_has_lost_its_floaters_gets_new_ones_at_the_next_look() -> None:
    before = balls([0.0, 2.0, 4.0], [0.6, 0.4, 0.6])
    sampling, floaters = settled(before)
    alive = floaters.take(floaters.positions[:, 0] < 3.0)
    sampling._seeding.has_lost = True
    for step in range(30):
        after = balls([0.0, 2.0, 4.0 + 1e-4 * step], [0.6, 0.4, 0.6])
        alive, before = sampling.advance(alive, before, None, after), after
    assert on_each(alive, [4.0])[0] > 0


def test_what_no_quick_search_proves_is_not_searched_while_it_is_dragged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A search of such a scene takes as long as a hundred steps; its proof has too many boxes to carry."""
    searched: list[str] = []
    for name in ("components_of", "common_boxes"):
        original = getattr(component_seeding, name)

        def counted(*args: Any, name: str = name, original: Any = original) -> Any:
            searched.append(name)
            return original(*args)

        monkeypatch.setattr(component_seeding, name, counted)
    before, _ = random_scene(22)

    def at(bigger: float) -> ImplicitFunction:
        parameters = before.parameters
        parameters[before.positive] *= bigger
        return before.with_parameters(parameters)

    sampling = Sampling(FloaterSettings(0.1), np.random.default_rng(0))
    floaters = sampling.first_floaters(before)
    assert searched == ["components_of"]
    after_steps(sampling, floaters, before, np.linspace(1.0, 1.01, 60).tolist(), at)
    assert searched == ["components_of"]


def test_a_cavity_among_much_that_is_thin_is_found_while_it_is_dragged() -> None:
    """So much that no quick search proves anything; the cavity has no element whose middle is inside."""
    thin, _ = random_scene(22)

    def at(height: float) -> ImplicitFunction:
        hollow = difference(Spheres.of([0.0, 0.0, 4.0], 0.7), [Spheres.of([0.0, 0.0, height], 0.3)])
        return union([thin, hollow])

    sampling = Sampling(FloaterSettings(0.1), np.random.default_rng(0))
    floaters = sampling.first_floaters(at(6.0))
    for _ in range(60):
        floaters = sampling.advance(floaters, at(6.0))
    floaters, _ = after_steps(sampling, floaters, at(6.0), np.linspace(4.0, 4.01, 30).tolist(), at)
    away = np.linalg.norm(floaters.positions - [0.0, 0.0, 4.01], axis=1)
    assert np.count_nonzero(np.abs(away - 0.3) < 0.01) > 10


def test_a_part_that_hangs_on_another_by_less_than_a_floater_has_floaters_at_the_end() -> None:
    """A slender ellipsoid stands with its tip 1e-5 deep in a ball: floaters do not get through that neck."""
    radius, middle = 0.06, np.array([1.0 - 1e-5, 0.0, 0.0])
    slender = Ellipsoids.of(middle, np.array([0.5, 0.08, 0.08]))
    both = union([Spheres.of([[0.0, 0.0, 0.0]], 0.5), slender])
    sampling = Sampling(FloaterSettings(radius), np.random.default_rng(0))
    assert len(sampling.first_floaters(both)) == 1
    floaters = Floaters.at(np.array([[-0.5, 0.0, 0.0]]), radius)
    for _ in range(60):
        floaters = sampling.advance(floaters, both)
    floaters = sampling.completed(floaters, both)
    assert np.count_nonzero(slender.value(floaters.positions) < 1e-3) > 15
    for _ in range(40):
        floaters = sampling.advance(floaters, both)
    assert sampling.completed(floaters, both) is floaters
    assert sampling.covered
