"""Two hundred dirty meshes placed on a floor, some of them in bowls that are dirty, too; and shaded smooth.

Run from the project's root: python -m benchmarks.dirt [--meshes N] [--bowls N] [--turns N]

Prints how they ended, how long they took, the deepest overlap of any state over R, by an oracle that shares
no code with the solver, and each one whose report does not name exactly the dirt that is there.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import product

import numpy as np

from tests.core.placement.dirt import OVERLAP, Dropped, in_a_bowl, on_the_floor, shaded_smooth


def run(what: str, drop: Callable[[int], Dropped], seeds: Iterable[int]) -> None:
    """Drop the meshes of some seeds; print each that is not as it should be, and the figures of all."""
    ends: Counter[str] = Counter()
    seconds, overlaps = [], []
    for seed in seeds:
        dropped = drop(seed)
        ends[dropped.certificate.status.name] += 1
        seconds.append(dropped.seconds)
        overlaps.append(dropped.overlap)
        if dropped.named != dropped.mesh.dirt or not dropped.certificate.status.at_rest or seconds[-1] > 60.0:
            wrong = sorted(dropped.named ^ dropped.mesh.dirt)
            end = dropped.certificate.status.name
            print(f"{seed:4d} {end:18s} {seconds[-1]:6.1f} s  {wrong}  {dropped.mesh.label}", flush=True)
    print(f"{what}: {dict(ends)}")
    print(f"  seconds: median {np.median(seconds):.2f}, longest {max(seconds):.1f}, all {sum(seconds):.0f}")
    print(f"  deepest overlap over R: {max(overlaps):.1e}")


def run_smooth(seeds: Iterable[int], turns: Iterable[int]) -> None:
    """Drop the meshes of some seeds, shaded smooth, in some attitudes; print each that overlaps or is not at
    rest.
    """
    ends: Counter[str] = Counter()
    overlaps, seconds = [0.0], [0.0]
    for seed, turn in product(seeds, turns):
        dropped = shaded_smooth(seed, turn)
        if dropped is None:
            continue
        end = dropped.certificate.status
        ends[end.name] += 1
        overlaps.append(dropped.overlap)
        seconds.append(dropped.seconds)
        if dropped.overlap > OVERLAP or not end.at_rest or seconds[-1] > 60.0:
            print(f"{seed:4d} {turn} {end.name:18s} {seconds[-1]:6.1f} s  {dropped.overlap:.1e}", flush=True)
    print(f"shaded smooth: {dict(ends)}")
    print(f"  seconds: longest {max(seconds):.1f}, all {sum(seconds):.0f}")
    print(f"  deepest overlap over R: {max(overlaps):.1e}")


def main() -> None:
    """Run as many as were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--meshes", type=int, default=200)
    parser.add_argument("--bowls", type=int, default=20)
    parser.add_argument("--turns", type=int, default=1, help="attitudes of each mesh, shaded smooth")
    given = parser.parse_args()
    run("on a floor", on_the_floor, range(given.meshes))
    run("in a dirty bowl", in_a_bowl, range(given.bowls))
    run_smooth(range(given.meshes), range(given.turns))


if __name__ == "__main__":
    main()
