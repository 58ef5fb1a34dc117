"""Points of several pairs of curved bodies: solved in one call, and the same as pair by pair."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from physplace_addon.core.arrays import Bools
from physplace_addon.core.contact.body_pair import AnyPairs
from physplace_addon.core.contact.features import FACE
from physplace_addon.core.contact.points.creation import Starts
from physplace_addon.core.contact.points.extremal_pairs import solve_extremal_pairs
from physplace_addon.core.contact.points.minimization import ExtremalPairs, minimize_gap
from physplace_addon.core.contact.system import ContactSystem, InterfacePoints, Reach, feature_keys
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import cylinder, sphere, torus


@cache
def _three_bodies() -> ContactSystem:
    """Return a ball between a ring and an upright cylinder, all near each other."""
    bodies = [sphere(1.0).body, torus(1.0, 0.3).body, cylinder(0.5, 2.0).body]
    places = ([0.0, 0.0, 0.0], [0.02, 0.05, 0.95], [1.55, 0.0, 0.1])
    turn = np.array([1.0, 0.02, -0.01, 0.0])
    poses = [Pose(turn / np.linalg.norm(turn), np.array(place)) for place in places]
    return ContactSystem.of(bodies, poses, [])


def _generated(system: ContactSystem) -> InterfacePoints:
    """Return the points of a system, in the order of their features and places."""
    points = system.generate(Reach(0.1, 0.1, 0.05), InterfacePoints.none(), None)
    columns = [*feature_keys(points).T, *np.round(points.point1, 6).T]
    return points.take(np.lexsort(columns))


def test_the_points_of_pairs_that_are_solved_in_one_call_are_those_of_each_pair() -> None:
    system = _three_bodies()
    alone, together = _generated(system), _generated(replace(system, jointly=True))
    assert len(set(zip(alone.body1.tolist(), alone.body2.tolist(), strict=True))) >= 2
    np.testing.assert_array_equal(feature_keys(together), feature_keys(alone))
    np.testing.assert_allclose(together.gap, alone.gap, atol=1e-12)
    np.testing.assert_allclose(together.point1, alone.point1, atol=1e-7)


def test_the_starts_of_all_pairs_are_solved_in_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    solved = Starts.solved

    def counted(starts: Starts, body_pair: AnyPairs) -> tuple[InterfacePoints, Bools]:
        calls.append(len(starts))
        return solved(starts, body_pair)

    monkeypatch.setattr(Starts, "solved", counted)
    _generated(_three_bodies())
    one_by_one, calls[:] = list(calls), []
    _generated(replace(_three_bodies(), jointly=True))
    assert len(one_by_one) >= 2
    assert calls == [sum(one_by_one)]


def test_known_points_over_faces_of_either_body_are_solved_in_one_minimization(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    three = _three_bodies()
    rim_below_the_ball = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.23, 0.0, -1.73]))
    system = three.at([*three.poses[:2], rim_below_the_ball])
    known = _generated(system)
    assert (known.dim2 == FACE).any()
    assert (known.dim2 != FACE).any()
    moved = system.displaced(1e-3 * np.arange(6.0 * len(system)) / len(system))
    alone = moved.track(known)
    calls: list[int] = []

    def counted(*args: Any, **others: Any) -> ExtremalPairs:
        calls.append(len(args[0].dim))
        return minimize_gap(*args, **others)

    monkeypatch.setattr(f"{solve_extremal_pairs.__module__}.minimize_gap", counted)
    together = replace(moved, jointly=True).track(known)
    assert len(calls) == 1
    np.testing.assert_array_equal(feature_keys(together), feature_keys(alone))
    for name in ("gap", "point1", "point2", "normal", "side"):
        np.testing.assert_allclose(getattr(together, name), getattr(alone, name), atol=1e-9)
