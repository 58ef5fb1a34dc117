"""Meshes of twenty random blobs of genus 0 to 5, each beside a fine marching grid; how long meshing takes.

python -m benchmarks.blob_meshes [--sigma 0.12] [--step 0.04] [--scenes 0] [--first 0]

Of each blob: points given and in the mesh, triangles, time, Euler characteristic and the grid's, the
farthest place of a triangle from the surface over sigma, and how far area and volume are from the grid's.

With --scenes that many of the random scenes of `blob_components` are meshed instead, of several parts, thin
and sharp ones among them. Of each: how it ended, points, the processor's seconds, the farthest place over
sigma, pairs of triangles that pass through each other, the least angle of all triangles and of those that
are not at creases, in degrees, and the Euler characteristic beside the grid's (- where three grids in a row
do not agree).
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy.spatial import cKDTree

from physplace_addon.core.arrays import Bools, Floats
from physplace_addon.core.implicit import ImplicitFunction
from physplace_addon.core.implicit.polygonize.creases.normal_jumps import creases
from physplace_addon.core.implicit.polygonize.surface_sampling import surface_samples
from physplace_addon.core.implicit.polygonize.triangulation import Triangulation, triangulated
from physplace_addon.core.implicit.projection import projected
from tests.core.implicit.random_parts import random_scene
from tests.core.implicit.surfaces import blob_of_genus, fourteen_spheres
from tests.oracles.grid_surface import Grid
from tests.oracles.triangles import crossings

BLOBS = 20


def farthest(function: ImplicitFunction, mesh: Triangulation) -> float:
    """How far the triangles are from the surface at most, by sixteen places on each.

    What is nearest of a corner and of the place that Newton's steps lead to is no nearer than the surface.
    """
    weights, corners = np.random.default_rng(0).dirichlet([1, 1, 1], size=16), mesh.points[mesh.triangles]
    places = np.einsum("sc,tci->tsi", weights, corners)
    nearest = np.linalg.norm(places[:, :, None] - corners[:, None], axis=3).min(axis=2).ravel()
    places = places.reshape(-1, 3)
    away = np.linalg.norm(places - projected(function, places, 0.1), axis=1)
    return float(np.minimum(away, nearest).max())


def grid_of(function: ImplicitFunction, step: float) -> tuple[int, float, float]:
    """Euler characteristic, area and volume by a grid, the last two as finer ones would have them."""
    low, high = function.box()
    cells = np.max(high - low) / step
    coarse, fine = (Grid(function.value, low, high, n).surface for n in (cells / 2, cells))
    area, volume = ((4 * getattr(fine, what) - getattr(coarse, what)) / 3 for what in ("area", "volume"))
    return fine.euler_characteristic, area, volume


def agreed_characteristic(function: ImplicitFunction) -> str:
    """The Euler characteristic of three grids in a row that have it, and parts as the regions they count.

    What a grid is too coarse to find all of does not count.
    """
    low, high = function.box()
    found: list[tuple[int, int]] = []
    for cells in (96, 144, 216, 324):
        grid = Grid(function.value, low, high, cells)
        if not grid.surface.is_closed:
            continue
        found.append((grid.surface.euler_characteristic, grid.surface.components))
        if len(found) >= 3 and len(set(found[-3:])) == 1 and grid.components == found[-1][1]:
            return str(found[-1][0])
    return "-"


def angles_of(mesh: Triangulation) -> Floats:
    """The least angle of each triangle (t,), in degrees."""
    corners = mesh.points[mesh.triangles]
    sides = np.roll(corners, -1, axis=1) - corners
    sides /= np.linalg.norm(sides, axis=2)[:, :, None]
    cosines = -np.einsum("tci,tci->tc", sides, np.roll(sides, 1, axis=1))
    return np.asarray(np.degrees(np.arccos(cosines.max(axis=1))))


def at_creases(function: ImplicitFunction, mesh: Triangulation, sigma: float) -> Bools:
    """Which triangles (t,) have a corner within a tenth of sigma of a crease."""
    places = creases(function, mesh.points, mesh.triangles)[0]
    if not len(places):
        return np.zeros(len(mesh.triangles), dtype=bool)
    near = np.asarray(cKDTree(places).query(mesh.points)[0]) < 0.1 * sigma
    return np.asarray(near[mesh.triangles].any(axis=1))


def random_scenes(first: int, count: int, sigma: float) -> None:
    """Print a line for each of some random scenes of several parts."""
    for seed in range(first, first + count):
        function, description = random_scene(seed)
        begun = time.process_time()
        mesh = triangulated(function, surface_samples(function, 2 * sigma), sigma)
        seconds = time.process_time() - begun
        line = f"{seed:4} {mesh.status.name:11} {len(mesh.points):6} {seconds:6.1f} s"
        if mesh.status.closed:
            corners, angles = mesh.points[mesh.triangles], angles_of(mesh)
            plain = angles[~at_creases(function, mesh, sigma)]
            line += f" {farthest(function, mesh) / sigma:7.4f} {len(crossings(corners, corners, 1e-9)):3}"
            line += f" {angles.min():5.1f} {plain.min(initial=60.0):5.1f}"
            line += f" {mesh.euler_characteristic:3} {agreed_characteristic(function):>3}"
        print(f"{line}  {description}", flush=True)


def main() -> None:
    """Print a line for each blob, and how long points of a number take."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sigma", type=float, default=0.12)
    parser.add_argument("--step", type=float, default=0.04)
    parser.add_argument("--scenes", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    if options.scenes:
        random_scenes(options.first, options.scenes, options.sigma)
        return
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
