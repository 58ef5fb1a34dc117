"""Collision of two tori beside python-fcl: all pairs of triangles that meet, along a moving body's path.

Run from the project's root: python -m benchmarks.collision [--short]

At each pose of a path both name every pair of triangles that meets; the bodies touch at a point, where an
upright torus goes round on a lying one, or in a ring, where it lies on it and turns.  Then the time to build
a tree, with all that a query needs of it.  Both work in one thread; the processor time of each is measured,
and its median over the path is printed.

With --short only the smallest bodies, to see that it runs.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.collision import BoxTree, KeptPairs, build_tree, meeting_pairs
from physplace_addon.core.rigid import Pose, quaternion_exponential, quaternion_product

GRIDS = ((44, 23), (141, 71), (447, 224))  # cells around and across: 2,024, 20,022 and 200,256 triangles
MAJOR, MINOR = 1.0, 0.4
DEPTH = 0.01  # how deep the bodies overlap, a length
STEPS = (0.01, 0.001)  # radians from pose to pose: as an object falls or is dragged, and as it comes to rest
POSES, SHORT_POSES = 60, 5
ROUNDS = 5  # of the path, of which each pose's least time counts: other work on the machine only adds to it
MOST = 1_000_000  # pairs that fcl may report: all


class Torus(NamedTuple):
    """Points (p, 3), and the corners of the triangles among them (t, 3)."""

    points: Floats
    corners: Ints


def torus(around: int, across: int) -> Torus:
    """Return a torus with a number of cells around its axis and across its tube, two triangles each."""
    u = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)[:, None]
    v = np.linspace(0.0, 2.0 * np.pi, across, endpoint=False)[None]
    ring = MAJOR + MINOR * np.cos(v)
    points = np.stack(
        np.broadcast_arrays(ring * np.cos(u), ring * np.sin(u), MINOR * np.sin(v)), axis=-1
    ).reshape(-1, 3)
    number = np.arange(around * across).reshape(around, across)
    right, up = np.roll(number, -1, axis=0), np.roll(number, -1, axis=1)
    both = np.roll(right, -1, axis=1)
    halves = [np.stack([number, right, both], axis=-1), np.stack([number, both, up], axis=-1)]
    return Torus(points, np.concatenate([half.reshape(-1, 3) for half in halves]))


def at_a_point(angle: float) -> Pose:
    """Return an upright torus on top of a lying one, at an angle round its axis."""
    upright = quaternion_exponential([0.5 * np.pi, 0.0, 0.0])
    spin = quaternion_exponential([0.0, 0.0, 0.1 + 2.0 * angle])
    tilted = quaternion_product(upright, spin)
    there = np.array([0.0, MAJOR, MAJOR + 2.0 * MINOR - DEPTH])
    return _turned(Pose(tilted, there), angle)


def in_a_ring(angle: float) -> Pose:
    """Return a torus that lies on another one, turned by an angle."""
    lying = np.array([1.0, 0.0, 0.0, 0.0])
    return _turned(Pose(lying, np.array([0.0, 0.0, 2.0 * MINOR - DEPTH])), 0.123 + angle)


def _turned(pose: Pose, angle: float) -> Pose:
    turn = quaternion_exponential([0.0, 0.0, angle])
    return Pose(quaternion_product(turn, pose.rotation), Pose(turn, np.zeros(3)).points(pose.translation))


class Peer:
    """Two equal bodies in fcl, whose trees stay where they are."""

    def __init__(self, fcl: Any, body: Torus) -> None:
        self._fcl = fcl
        model = self.built(fcl, body)
        self._still = fcl.CollisionObject(model, fcl.Transform())
        self._moving = fcl.CollisionObject(model, fcl.Transform())
        self._request = fcl.CollisionRequest(num_max_contacts=MOST, enable_contact=False)

    @staticmethod
    def built(fcl: Any, body: Torus) -> Any:
        """Return fcl's tree of a body."""
        model = fcl.BVHModel()
        model.beginModel(len(body.points), len(body.corners))
        model.addSubModel(body.points, body.corners)
        model.endModel()
        return model

    def query(self, pose: Pose) -> int:
        """Return how many pairs of triangles meet at a pose of the moving body."""
        self._moving.setTransform(self._fcl.Transform(pose.matrix, pose.translation))
        result = self._fcl.CollisionResult()
        self._fcl.collide(self._moving, self._still, self._request, result)
        return len(result.contacts)


def whole_tree(body: Torus) -> BoxTree:
    """Return our tree of a body with all that a query needs of it."""
    tree = build_tree(body.points[body.corners])
    assert tree.blocks.size[0] >= 0.0
    assert tree.slabs.share <= 1.0
    return tree


def seconds(call: Callable[[], object]) -> float:
    """Return the processor time of a call in seconds."""
    start = time.process_time()
    call()
    return time.process_time() - start


def queries(fcl: Any, body: Torus, path: Callable[[float], Pose], step: float, poses: int) -> str:
    """Return a line with the times of both along a path, and the pairs that they name.

    The time of a pose is the mean over the path for both: lists that are kept are made at some poses.
    """
    peer, tree = Peer(fcl, body), whole_tree(body)
    places = [path(step * number) for number in range(poses)]
    assert all(np.isfinite(place.matrix).all() for place in places)  # a pose computes its matrix once
    times = []
    for _ in range(ROUNDS):
        kept = KeptPairs(tree, tree)
        times.append(
            [
                [seconds(partial(peer.query, place)) for place in places],
                [seconds(partial(meeting_pairs, tree, place, tree)) for place in places],
                [seconds(partial(kept.meeting, place)) for place in places],
            ]
        )
    theirs, fresh, ours = 1e3 * np.min(times, axis=0).mean(axis=1)
    counts = peer.query(places[0]), len(meeting_pairs(tree, places[0], tree))
    return (
        f"{counts[0]:>10}{counts[1]:>8}{theirs:10.3f}{fresh:10.3f}{ours:10.3f}"
        f"{fresh / theirs:8.2f}{ours / theirs:8.2f}"
    )


def building(fcl: Any, body: Torus, rounds: int) -> str:
    """Return a line with the times of both to build a tree."""
    times = [
        (seconds(lambda: Peer.built(fcl, body)), seconds(lambda: whole_tree(body))) for _ in range(rounds)
    ]
    theirs, ours = 1e3 * np.min(times, axis=0)
    return f"{'':18}{theirs:10.2f}{'':10}{ours:10.2f}{'':8}{ours / theirs:8.2f}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--short", action="store_true", help="only the smallest bodies, to see that it runs")
    short = parser.parse_args().short
    fcl = importlib.import_module("fcl")
    print(f"{'':26}{'pairs: fcl':>10}{'ours':>8}{'fcl ms':>10}{'fresh ms':>10}{'kept ms':>10}{'':6}ratios")
    for grid in GRIDS[: 1 if short else None]:
        body = torus(*grid)
        for name, path in (("point", at_a_point), ("ring", in_a_ring)):
            for step in STEPS:
                line = queries(fcl, body, path, step, SHORT_POSES if short else POSES)
                print(f"{len(body.corners):>10} {name:7}{step:<8}" + line, flush=True)
        print(f"{len(body.corners):>10} {'build':15}" + building(fcl, body, 3 if short else 7), flush=True)


if __name__ == "__main__":
    main()
