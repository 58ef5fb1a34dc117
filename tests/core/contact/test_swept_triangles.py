"""Triangles that meet on a path and at its end, against a search for each."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from physplace_addon.core.arrays import Ints
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.collision import near_pairs, swept_pairs
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.contact_body import ContactBody
from physplace_addon.core.contact.continuous_collision import meeting_at_end, meeting_on_path
from physplace_addon.core.rigid import Pose


def lumpy(seed: int, size: int = 24) -> Body:
    """A closed body of many triangles, not convex."""
    u, v = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    a, b = 2.0 * np.pi * u.ravel() / size, 2.0 * np.pi * v.ravel() / size
    tube = 0.4 + 0.05 * np.sin(3.0 * a + seed) * np.cos(2.0 * b)
    ring = 1.0 + tube * np.cos(b)
    points = np.stack([ring * np.cos(a), ring * np.sin(a), tube * np.sin(b)], axis=1)
    here, beside = u * size + v, (u + 1) % size * size + v
    above, both = u * size + (v + 1) % size, (u + 1) % size * size + (v + 1) % size
    first = np.stack([here, beside, both], axis=-1).reshape(-1, 3)
    second = np.stack([here, both, above], axis=-1).reshape(-1, 3)
    return polyhedron(points, np.concatenate([first, second]), f"lumpy {seed}")


def rows(pairs: Ints) -> set[tuple[int, int]]:
    return {(first, second) for first, second in pairs.tolist()}


@pytest.mark.parametrize("seed", range(4))
def test_what_was_searched_on_a_path_holds_all_that_meets_at_its_end(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, world = ContactBody.of([lumpy(seed)]), ContactBody.of([lumpy(seed + 9)])
    apart = np.array([0.3, 0.2, 0.8])
    pose = Pose.identity().displaced(apart, rng.normal(size=3), np.zeros(3))
    start = BodyPair.of(first, world, pose)
    met = 0
    for size in (1e-3, 0.05, 0.3):
        end = start.displaced(size * rng.normal(size=6))
        fresh = rows(swept_pairs(first.tree, start.pose, end.pose, world.tree, 0.0))
        assert rows(meeting_on_path(start, end)) == fresh
        at_end = meeting_at_end(start, end)
        assert at_end is not None
        touching = rows(near_pairs(first.tree, end.pose, world.tree, 0.0))
        assert touching <= rows(at_end) <= fresh
        met += len(touching)
    assert met > 0


def test_what_is_known_is_of_one_path_alone() -> None:
    first, world = ContactBody.of([lumpy(1)]), ContactBody.of([lumpy(2)])
    start = BodyPair.of(first, world, Pose.identity())
    end, other = start.displaced(np.full(6, 0.05)), start.displaced(np.full(6, -0.05))
    meeting_on_path(start, end)
    assert meeting_at_end(start, end) is not None
    assert meeting_at_end(other, end) is None
    assert meeting_at_end(start, other) is None


def test_what_was_searched_is_freed_with_the_bodies_pair() -> None:
    """The mover's body is kept from placement to placement: it must not hold what it was placed beside."""
    first, world = ContactBody.of([lumpy(1)]), ContactBody.of([lumpy(2)])
    start = BodyPair.of(first, world, Pose.identity())
    end = start.displaced(np.full(6, 0.05))
    meeting_on_path(start, end)
    held = weakref.ref(world)
    del world, start, end
    gc.collect()
    assert first.body.radius > 0
    assert held() is None
