"""Meshes of twenty random blobs of genus 0 to 5, each beside a fine marching grid; how long meshing takes.

python -m benchmarks.blob_meshes [--sigma 0.12] [--step 0.04]

Of each blob: points given and in the mesh, triangles, time, Euler characteristic and the grid's, the
farthest place of a triangle from the surface over sigma, and how far area and volume are from the grid's.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from physplace_addon.core.implicit import ImplicitFunction
from physplace_addon.core.implicit.polygonize.surface_sampling import surface_samples
from physplace_addon.core.implicit.polygonize.triangulation import Triangulation, triangulated
from physplace_addon.core.implicit.projection import projected
from tests.core.implicit.surfaces import blob_of_genus, fourteen_spheres
from tests.oracles.grid_surface import grid_surface

BLOBS = 20


def farthest(function: ImplicitFunction, mesh: Triangulation) -> float:
    """How far the triangles are from the surface at most, by sixteen places on each."""
    weights = np.random.default_rng(0).dirichlet([1, 1, 1], size=16)
    places = np.einsum("sc,tci->tsi", weights, mesh.points[mesh.triangles]).reshape(-1, 3)
    return float(np.linalg.norm(places - projected(function, places, 0.1), axis=1).max())


def grid_of(function: ImplicitFunction, step: float) -> tuple[int, float, float]:
    """Euler characteristic, area and volume by a grid, the last two as finer ones would have them."""
    low, high = function.box()
    cells = np.max(high - low) / step
    coarse, fine = (grid_surface(function.value, low, high, n) for n in (cells / 2, cells))
    area, volume = ((4 * getattr(fine, what) - getattr(coarse, what)) / 3 for what in ("area", "volume"))
    return fine.euler_characteristic, area, volume


def main() -> None:
    """Print a line for each blob, and how long points of a number take."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sigma", type=float, default=0.12)
    parser.add_argument("--step", type=float, default=0.04)
    options = parser.parse_args()
    print("genus seed  given points triangles seconds  chi grid  far/sigma   area  volume")
    for number in range(BLOBS):
        genus, seed = number % 6, number // 6
        function = blob_of_genus(genus, seed)
        points = surface_samples(function, 2 * options.sigma)
        start = time.perf_counter()
        mesh = triangulated(function, points, options.sigma)
        seconds = time.perf_counter() - start
        characteristic, area, volume = grid_of(function, options.step)
        far = farthest(function, mesh) / options.sigma
        print(
            f"{genus:5} {seed:4} {len(points):6} {len(mesh.points):6} {len(mesh.triangles):9} {seconds:7.2f} "
            f"{mesh.euler_characteristic:4} {characteristic:4} {far:10.4f} {mesh.area / area - 1:6.2%} "
            f"{mesh.volume / volume - 1:7.2%}  {mesh.status.name}",
            flush=True,
        )
    lump = fourteen_spheres()
    for spacing in (0.16, 0.08, 0.036):
        points = surface_samples(lump, spacing)
        start = time.perf_counter()
        mesh = triangulated(lump, points, spacing / 2)
        seconds = time.perf_counter() - start
        print(f"{len(points)} points of 14 spheres: {seconds:.3f} s, {len(mesh.triangles)} triangles")


if __name__ == "__main__":
    main()
