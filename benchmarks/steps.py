"""Iterations of the paper's experiments, and the time of a step beside one query of a user's other tools.

Run from the project's root: python -m benchmarks.steps [--short]

1. The experiments of Figure 9 at eps_max 0.05 and 0.2: iterations (failed loops counted), time, end.
2. Bodies of about 10,000 triangles in contact: the median time of a step, and in the same run one collision
   query of python-fcl (if installed) and of Blender's BVHTree (if bpy is); the latter cannot be moved, so its
   query transforms the points and builds the tree again.

With --short only the first few of each, from one start, to see that it runs.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body
from physplace_addon.core.placement import Certificate, Placement, Settings
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import BOWL, bumpy_sphere, floor, knot, sphere, torus, turned
from tests.core.placement.drops import pose_over_floor
from tests.core.placement.experiments import EXPERIMENTS, TILTS, active_of, careless_start, standing
from tests.oracles.frames import rotation_of

REPEATS = 5
SHORT = 2  # experiments, and pairs of bodies, with --short


class Timed(NamedTuple):
    """A finished placement, its certificate, and the seconds of each step (k,)."""

    placement: Placement
    certificate: Certificate
    seconds: Floats


class Pair(NamedTuple):
    """A body that falls from a pose on a world, whose first body is the peers'."""

    name: str
    body: Body
    pose: Pose
    world: list[Body]


def timed_run(body: Body, pose: Pose, world: Sequence[Body], settings: Settings) -> Timed:
    """Place a body step by step; return the placement and the time of each step."""
    placement, times = Placement(body, pose, world, settings), []
    while placement.status.name == "RUNNING":
        start = time.perf_counter()
        placement.step()
        times.append(time.perf_counter() - start)
    return Timed(placement, placement.run(), np.array(times))


def iterations(names: Sequence[str], starts: int) -> None:
    """Print the table of experiments, each from a number of starts."""
    heads = [f"{f'eps {e}: steps':>18}{'ms/step':>9} {'end':18}" for e in (0.05, 0.2)]
    print(f"{'experiment':28}" + "".join(heads))
    medians: dict[float, list[float]] = {0.05: [], 0.2: []}
    for name in names:
        line = f"{name:28}"
        for eps_max in medians:
            runs = [
                timed_run(
                    active_of(name).body,
                    careless_start(name, n),
                    standing(name)[2],
                    Settings(eps_max=eps_max),
                )
                for n in range(starts)
            ]
            steps = [run.certificate.steps for run in runs]
            pace = 1e3 * float(np.median(np.concatenate([run.seconds for run in runs])))
            ends = "/".join(sorted({run.certificate.status.name.lower() for run in runs}))
            medians[eps_max].append(float(np.median(steps)))
            line += f"{steps!s:>18}{pace:9.1f} {ends:18}"
        print(line, flush=True)
    print("median over experiments: " + ", ".join(f"eps {e}: {np.median(m):g}" for e, m in medians.items()))


def pairs() -> Iterator[Pair]:
    """Yield pairs of bodies of about 10,000 triangles each."""
    tilt = rotation_of([0.9, 0.3, 0.2, 0.1])
    dense = (101, 51)
    bowl = turned("bowl", BOWL, resolution=dense).body
    inside = Pose(np.array([0.9, 0.3, 0.2, 0.1]), np.array([0.3, 0.1, 2.4]))
    knotted, ring, bumpy = knot(resolution=dense), torus(resolution=dense), bumpy_sphere(resolution=dense)
    above = Pose(inside.rotation, np.array([0.1, 0, 2.0]))
    yield Pair("knot on floor", knotted.body, pose_over_floor(knotted, tilt, 0.2), [floor()])
    yield Pair("bumpy sphere on floor", bumpy.body, pose_over_floor(bumpy, tilt, 0.2), [floor()])
    yield Pair("ball in bowl", sphere(0.5, resolution=dense).body, inside, [bowl])
    yield Pair("torus in bowl", torus(0.8, 0.2, resolution=dense).body, inside, [bowl])
    yield Pair("torus on torus", ring.body, above, [ring.body, floor()])


def step_times(count: int | None) -> None:
    """Print a step's median time beside the peers' queries, for the first pairs or for all."""
    names = [name for name in ("fcl", "mathutils.bvhtree") if available(name)]
    head = (
        f"{'10k-triangle bodies':24}{'triangles':>16}{'steps':>7}{'contacts':>9}{'median ms':>11}{'90 %':>8}"
    )
    print("\n" + head + "".join(f"{name + ' ms':>22}" for name in names))
    for name, body, pose, world in islice(pairs(), count):
        placement, certificate, times = timed_run(body, pose, world, Settings())
        sizes = f"{len(body.triangles)}+{len(world[0].triangles)}"
        end = placement.states[-1].pose
        peers = [1e3 * PEERS[peer](body, end, world[0]) for peer in names]
        print(
            f"{name:24}{sizes:>16}{certificate.steps:7}{len(certificate.contacts):9}"
            f"{1e3 * np.median(times):11.1f}{1e3 * np.quantile(times, 0.9):8.1f}"
            + "".join(f"{peer:22.2f}" for peer in peers),
            flush=True,
        )


def available(module: str) -> bool:
    """Whether a peer can be imported here."""
    try:
        if module.startswith("mathutils"):
            importlib.import_module("bpy")
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def fcl_query(body: Body, pose: Pose, other: Body) -> float:
    """Seconds of one fcl collision query with 10 contacts at most; its trees stay where they are."""
    fcl = importlib.import_module("fcl")
    objects = []
    for part, at in ((body, pose), (other, Pose.identity())):
        model = fcl.BVHModel()
        model.beginModel(len(part.points), len(part.triangles))
        model.addSubModel(part.points, part.triangle_corners)
        model.endModel()
        objects.append(fcl.CollisionObject(model, fcl.Transform(at.matrix, at.translation)))
    request = fcl.CollisionRequest(num_max_contacts=10, enable_contact=True)
    return best_of(lambda: fcl.collide(*objects, request, fcl.CollisionResult()))


def blender_query(body: Body, pose: Pose, other: Body) -> float:
    """Seconds to move a BVHTree (transform its points and build it again) and to overlap it with another."""
    tree = importlib.import_module("mathutils.bvhtree").BVHTree
    still = tree.FromPolygons(other.points.tolist(), other.triangle_corners.tolist())
    corners = body.triangle_corners.tolist()

    def query() -> None:
        tree.FromPolygons(pose.points(body.points).tolist(), corners).overlap(still)

    return best_of(query)


def best_of(query: Callable[[], object]) -> float:
    """Return the median time in seconds of a few calls."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        query()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


PEERS = {"fcl": fcl_query, "mathutils.bvhtree": blender_query}


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--short", action="store_true", help="only the first few, to see that it runs")
    short = parser.parse_args().short
    names = list(EXPERIMENTS)[: SHORT if short else None]
    iterations(names, 1 if short else len(TILTS))
    step_times(SHORT if short else None)


if __name__ == "__main__":
    main()
