"""Random surfaces of several parts: how many components are found and proven, beside a fine grid's count.

Run from the project's root: python -m benchmarks.blob_components [--scenes 20] [--first 0] [--parts 8]
    [--cells 48] [--finest 384]

Scenes of more parts than given are passed over. The grid has few cells along its side at first, and twice as
many until two sizes in a row count as the search does, up to the finest. Where none does, because a gap is
narrower than a cell, and the sum is a sharp one, the groups of parts that overlap tell, if none encloses a
cavity. Of each scene: components found, those of the grid and its cells (0 for groups of parts), whether the
number is proven, boxes examined, and the processor's seconds of both.
"""

from __future__ import annotations

import argparse
import time

from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.surface_components.component_search import components_of
from tests.core.implicit.random_parts import drawn, groups_of, random_scene
from tests.oracles.grid_surface import Grid


def on_a_grid(function: ImplicitFunction, count: int, cells: int, finest: int) -> tuple[int, int]:
    """The components that a grid counts, and its cells: twice as many until two sizes in a row agree."""
    low, high = function.box()
    before = -1
    while True:
        grid = Grid(function.value, low, high, cells).components
        if grid == before == count or 2 * cells > finest:
            return grid, cells
        cells, before = 2 * cells, grid


def main() -> None:
    """Print a line for each scene, and at last how many differ and how many are not proven."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--cells", type=int, default=48)
    parser.add_argument("--finest", type=int, default=384)
    given = parser.parse_args()
    compared = differ = unproven = 0
    for seed in range(given.first, given.first + given.scenes):
        function, description = random_scene(seed)
        if description.count(",") >= given.parts:
            continue
        begun = time.process_time()
        found = components_of(function)
        count, proven = len(found), found.proven
        middle = time.process_time()
        grid, cells = on_a_grid(function, count, given.cells, given.finest)
        how, parts, _ = drawn(seed)
        if grid != count and how == "sharp":
            grid, cells = groups_of(parts), 0
        ended = time.process_time()
        compared, differ, unproven = compared + 1, differ + (count != grid), unproven + (not proven)
        print(
            f"{seed:5} {count:3} {grid:3} {cells:4} {'proven' if proven else 'found ':6} "
            f"{found.boxes.examined:7} "
            f"{middle - begun:6.2f} s {ended - middle:6.2f} s  {description}",
            flush=True,
        )
    print(f"{compared} scenes: {differ} differ, {unproven} are not proven")


if __name__ == "__main__":
    main()
