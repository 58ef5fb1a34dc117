"""Random surfaces of several parts: how many components are found and proven, beside a fine grid's count.

Run from the project's root: python -m benchmarks.blob_components [--scenes 20] [--first 0] [--cells 160]

Of each scene: components found, those of the grid, whether the number is proven, boxes examined, and the
processor's seconds of both.
"""

from __future__ import annotations

import argparse
import time

from physplace_addon.core.implicit.surface_components.component_search import components_of
from tests.core.implicit.random_parts import random_scene, steepest
from tests.oracles.grid_components import count_components


def main() -> None:
    """Print a line for each scene, and at last how many differ and how many are not proven."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cells", type=int, default=160)
    given = parser.parse_args()
    differ = unproven = 0
    for seed in range(given.first, given.first + given.scenes):
        function, description = random_scene(seed)
        begun = time.process_time()
        found = components_of(function)
        count, proven = len(found), found.proven
        middle = time.process_time()
        low, high = function.box()
        grid = count_components(function.value, low, high, given.cells, steepest(function))
        ended = time.process_time()
        differ, unproven = differ + (count != grid), unproven + (not proven)
        print(
            f"{seed:5} {count:3} {grid:3} {'proven' if proven else 'found ':6} {found.boxes.examined:7} "
            f"{middle - begun:6.2f} s {ended - middle:6.2f} s  {description}",
            flush=True,
        )
    print(f"{given.scenes} scenes: {differ} differ from the grid, {unproven} are not proven")


if __name__ == "__main__":
    main()
