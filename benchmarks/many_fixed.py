"""A step among very many fixed bodies, beside one among a single fixed body.

Run from the project's root: python -m benchmarks.many_fixed [--short]

A box falls on a ball of 2,000 triangles and rolls off it, once with that ball alone and once among 1,000 of
them, a grid in which all but one are out of reach.  Printed: the seconds to prepare, and the processor
seconds of a step, the median over the same steps.  With --short 30 balls, to see that it runs.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from physplace_addon.core.bodies import Body, exact, polyhedron
from physplace_addon.core.placement import Placement, Settings, Status
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from tests.bodies_of_the_paper import box

LINES = (41, 27)  # of a ball: 2,000 triangles
SPACING = 3.0  # between the balls' centres, over their radius
STEPS = 20


def ball() -> Body:
    """A ball of radius 1 as a polyhedron."""
    round_one = exact(kinds.sphere(1.0), "ball", resolution=LINES)
    return polyhedron(round_one.points, round_one.triangle_corners, "ball")


def grid(count: int) -> list[Body]:
    """Balls in a square grid, the first one at the origin."""
    first, side = ball(), int(np.ceil(count**0.5))
    bodies = []
    for number in range(count):
        affine = np.eye(4)
        affine[:2, 3] = SPACING * np.array(divmod(number, side))
        bodies.append(first.transformed(affine, f"ball {number}"))
    return bodies


def run(count: int) -> tuple[float, float, int]:
    """Return the seconds to prepare, the median seconds of processor time of a step, and the steps."""
    world, began = grid(count), time.perf_counter()
    pose = Pose.identity().displaced([0.1, 0.05, 1.8], [0.3, 0.2, 0.1], np.zeros(3))
    placement = Placement(box().body, pose, world, Settings(eps_max=0.05, step_limit=STEPS))
    prepared = time.perf_counter() - began
    times: list[float] = []
    while placement.status is Status.RUNNING and len(times) < STEPS:
        start = time.process_time()
        placement.step()
        times.append(time.process_time() - start)
    return prepared, float(np.median(times)), len(times)


def main() -> None:
    """Print a line for each world, and the ratio of their steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--short", action="store_true", help="few balls, to see that it runs")
    short = parser.parse_args().short
    medians = []
    for count in (1, 30 if short else 1000):
        prepared, median, steps = run(count)
        medians.append(median)
        print(
            f"{count:5} fixed balls: prepared in {prepared:6.1f} s, a step {1e3 * median:6.1f} ms ({steps})"
        )
    print(f"ratio of the steps: {medians[1] / medians[0]:.2f}")


if __name__ == "__main__":
    main()
