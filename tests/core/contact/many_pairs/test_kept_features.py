"""Features that were kept, however long ago they were searched, give the points that a search gives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from physplace_addon.core.contact.contact_system import ContactSystem
from physplace_addon.core.contact.many_pairs import kept_features
from physplace_addon.core.contact.many_pairs.kept_features import searched
from physplace_addon.core.contact.many_pairs.placed_bodies import PlacedBodies
from physplace_addon.core.contact.points.creation import Reach
from physplace_addon.core.contact.points.interface_points import InterfacePoints, feature_keys
from physplace_addon.core.contact.regions.candidates import NearFeatures
from physplace_addon.core.rigid import Pose, quaternion_exponential
from tests.core.dynamics.scenes import UPRIGHT, block, brick_wall, floor

REACH = Reach(1.0, 1.0, 1.0)


def wall(travel: float) -> ContactSystem:
    """Bricks that stand 1e-6 apart with a stone among them, each of which may go as far as `travel`."""
    bodies, poses = brick_wall(3, 3, (0.24, 0.12, 0.08))
    poses = [Pose(UPRIGHT, pose.translation + np.array([0.0, 0.0, 1e-6 * i])) for i, pose in enumerate(poses)]
    stone = Pose(quaternion_exponential(np.array([0.3, 0.5, 0.2])), np.array([0.2, 0.14, 0.3]))
    bodies, poses = [*bodies, block(0.1, 0.1, 0.1)], [*poses, stone]
    system = ContactSystem.of(bodies, poses, [floor()])
    return replace(system, travel=np.full(len(bodies), travel))


def moved(system: ContactSystem, rng: np.random.Generator, size: float) -> ContactSystem:
    """The same bodies after small motions; every other one stands still, as what a wall is made of."""
    x = size * rng.normal(size=(len(system), 6))
    x[::2] = 0.0
    return system.displaced(x.ravel())


@pytest.mark.parametrize("size", [1e-9, 1e-4, 2e-2])
def test_points_are_those_of_a_search_whatever_is_kept(size: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit those of a search just now, and but for rounding those of one that keeps nothing."""
    rng = np.random.default_rng(3)
    before = wall(2e-3)
    known = before.generate(REACH, InterfacePoints.none(), None)
    for _ in range(5):
        now = moved(before, rng, size)
        points = now.generate_from(REACH, known, before)
        again = replace(now).generate_from(REACH, known, replace(before))
        for name in ("gap", "point1", "normal", "index1", "index2", "piece1", "piece2", "side"):
            np.testing.assert_array_equal(getattr(points, name), getattr(again, name))
        with monkeypatch.context() as plainly:
            plainly.setattr(PlacedBodies, "near_features", lambda *_: None)
            plain = replace(now).generate_from(REACH, known, replace(before))
        np.testing.assert_array_equal(feature_keys(points), feature_keys(plain))
        np.testing.assert_allclose(points.gap, plain.gap, rtol=0.0, atol=1e-15)
        before, known = now, points
    assert len(known) > 20


@pytest.mark.parametrize(("size", "hardly"), [(1e-7, True), (1e-1, False)])
def test_what_hardly_moves_is_searched_once(
    size: float, hardly: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = []

    def counted(*given: Any, **named: Any) -> NearFeatures:
        searches.append(given)
        return searched(*given, **named)

    monkeypatch.setattr(kept_features, "searched", counted)
    rng, before = np.random.default_rng(4), wall(2e-3)
    for _ in range(5):
        now = moved(before, rng, size)
        now.generate_from(REACH, InterfacePoints.none(), before)
        before = now
    assert (len(searches) == 1) == hardly
