"""Heaps: bodies that tumble from random attitudes into a bin, all at once, how they end and what it takes.

Run from the project's root: python -m benchmarks.heaps [--short]

Cubes, and boxes, prisms and cones mixed; 15, 30, 60 and 120 of them.  Of each heap: the end, the steps, the
failed ones among them, the seconds, and how deep any two bodies overlap at the end, over R, by the separating
axes of their hulls, which shares nothing with the solver.  With --short small heaps alone,
to see that it runs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.placement import Placement, Settings, Status
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import box, convex, cuboid, prism

COUNTS = (15, 30, 60, 120)
SHORT = (4,)
SEEDS = (0, 1)
SPACING = 1.9  # between the bodies' first places: more than any is long
WALL = 0.5  # half the thickness of the bin's floor and walls
LIMIT = 1000  # steps


def pyramid(sides: int, radius: float, height: float) -> Body:
    """A cone of some sides, its centre of mass at the origin."""
    turn = np.arange(sides) * 2 * np.pi / sides
    ring = np.column_stack([radius * np.cos(turn), radius * np.sin(turn), np.full(sides, -height / 4)])
    return convex(np.vstack([ring, [[0.0, 0.0, 0.75 * height]]]), "cone")


@lru_cache
def kinds(mixed: bool) -> tuple[Body, ...]:
    """The bodies of a heap, which take turns."""
    cube = box().body
    if not mixed:
        return (cube,)
    others = prism(6, 0.45, 1.0).body, pyramid(16, 0.5, 1.0), box((0.6, 0.4, 0.25)).body
    return (cube, *others, prism(16, 0.35, 1.2).body)


def bin_around(half: float, height: float) -> list[Body]:
    """A floor at z = 0 and four walls around a square."""
    wide = half + 2 * WALL
    world = [polyhedron(*cuboid([0.0, 0.0, -WALL], [wide, wide, WALL]), "floor")]
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        centre = [x * (half + WALL), y * (half + WALL), 0.5 * height]
        size = [WALL, wide, 0.5 * height] if x else [half, WALL, 0.5 * height]
        world.append(polyhedron(*cuboid(centre, size), "wall"))
    return world


def heap(mixed: bool, count: int, seed: int) -> tuple[list[Body], list[Pose], list[Body]]:
    """Return bodies, their poses in layers over a bin, each at a random attitude, and the bin."""
    rng = np.random.default_rng([seed, count])
    side = max(2, round((count / 2.5) ** 0.5))
    half, poses = 0.5 * side * SPACING, []
    for number in range(count):
        layer, cell = divmod(number, side * side)
        place = SPACING * (np.array([*divmod(cell, side), layer]) + 0.5) - [half, half, 0.0]
        turn = rng.normal(size=4)
        poses.append(Pose(turn / np.linalg.norm(turn), place + rng.uniform(-0.05, 0.05, 3)))
    bodies = [kinds(mixed)[number % len(kinds(mixed))] for number in range(count)]
    return bodies, poses, bin_around(half, SPACING * (2 + count // side**2))


def overlap(bodies: Sequence[Body], poses: Sequence[Pose]) -> float:
    """Return the depth of the deepest overlap of two convex bodies, a length; 0 if none overlap."""
    deepest, corners = 0.0, [pose.points(body.points) for body, pose in zip(bodies, poses, strict=True)]
    axes = [axes_of(body, pose) for body, pose in zip(bodies, poses, strict=True)]
    boxes = [(points.min(axis=0), points.max(axis=0)) for points in corners]
    for one in range(len(bodies)):
        for other in range(one):
            if ((boxes[one][0] > boxes[other][1]) | (boxes[other][0] > boxes[one][1])).any():
                continue
            (normals1, edges1), (normals2, edges2) = axes[one], axes[other]
            across = np.cross(edges1[:, None], edges2[None]).reshape(-1, 3)
            length = np.linalg.norm(across, axis=1)
            across = across[length > 1e-6] / length[length > 1e-6, None]
            directions = np.concatenate([normals1, normals2, across])
            along1, along2 = corners[one] @ directions.T, corners[other] @ directions.T
            apart = np.maximum(
                along1.min(axis=0) - along2.max(axis=0), along2.min(axis=0) - along1.max(axis=0)
            )
            deepest = max(deepest, -float(apart.max()))
    return deepest


def axes_of(body: Body, pose: Pose) -> tuple[Floats, Floats]:
    """Return the unit normals of a body's triangles and the unit directions of their sides, at a pose."""
    a, b, c = np.moveaxis(body.triangles, 1, 0)
    normals, sides = np.cross(b - a, c - a), np.concatenate([b - a, c - b, a - c])
    normals, sides = (v / np.linalg.norm(v, axis=1)[:, None] for v in (normals, sides))
    sides *= np.where(sides @ [1.0, 1e-3, 1e-6] < 0.0, -1.0, 1.0)[:, None]
    distinct = [v[np.unique(v.round(6), axis=0, return_index=True)[1]] for v in (normals, sides)]
    return pose.vectors(distinct[0]), pose.vectors(distinct[1])


def run(mixed: bool, count: int, seed: int) -> tuple[Placement, int, float]:
    """Let a heap fall; return the placement, its failed steps, and the seconds."""
    began = time.perf_counter()
    bodies, poses, world = heap(mixed, count, seed)
    placement = Placement.of_several(bodies, poses, world, Settings(eps_max=0.2, step_limit=LIMIT))
    failed = 0
    while placement.status is Status.RUNNING:
        states = len(placement.states)
        placement.step()
        failed += len(placement.states) == states
    return placement, failed, time.perf_counter() - began


def main() -> None:
    """Print a line for each heap."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--short", action="store_true", help="only small heaps, to see that it runs")
    short = parser.parse_args().short
    print(f"{'heap':16}{'end':>22}{'steps':>8}{'failed':>8}{'seconds':>9}{'overlap / R':>13}")
    for count in SHORT if short else COUNTS:
        for mixed in (False, True):
            for seed in SEEDS[: 1 if short else None]:
                placement, failed, seconds = run(mixed, count, seed)
                moved = [*placement.setup.bodies, *placement.setup.world]
                still = [Pose.identity()] * len(placement.setup.world)
                deep = overlap(moved, [*placement.state.poses, *still]) / placement.state.system.radius
                name = f"{count} {'mixed' if mixed else 'cubes'}"
                end = placement.status.name.lower()
                print(
                    f"{name:16}{end:>22}{placement.steps:8}{failed:8}{seconds:9.1f}{deep:13.1e}", flush=True
                )


if __name__ == "__main__":
    main()
