"""Floaters on random surfaces of several parts, from one seed a component: how many, how even, how soon.

Run from the project's root: python -m benchmarks.blob_floaters [--scenes 20] [--first 0] [--steps 250]
    [--least 500] [--most 8000]

Each of the random scenes of `blob_components` is sculpted without control points until it is settled, or for
so many steps. The radius sigma is half of the thinnest half-axis of all parts, but at most such that about
`--least` floaters are there, and at least such that there are about `--most` of them; then the line says how
large sigma is in thinnest half-axes.

Area and places of the surface are of cells that are followed along it (`tests.oracles.followed_surface`), at
two sizes, of which the area is extrapolated. Distances are straight between places that look the same way,
n_i . n_j > 0, so that nothing is covered by a floater on the other side of a thin part, or on the next part.
About creases, where that leaves out what is near, they are along the surface, over the places. Of each scene:

  seed, components of the search, those that have a floater, floaters, n sigma^2 / area;
  the share of places, in percent, that no floater is within 1.5 sigma of;
  the standard deviation over the mean of the distance to the nearest neighbour;
  the largest circle without a floater, over that of a hexagonal packing of as many;
  the step from which on there are 90 % of the floaters of the end, and that at which it was settled;
  seconds of a processor; what is outside of its bound; sigma over the thinnest half-axis, if it is not half.

The bounds are those of `_BOUNDS`.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.implicit.control.sculpting import Sculpting
from physplace_addon.core.implicit.control.state import SculptSettings, SculptStatus
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.particles.floaters import Floaters, FloaterSettings
from physplace_addon.core.implicit.projection import projected
from physplace_addon.core.implicit.surface_components.component_search import components_of
from physplace_addon.core.vectors import unit
from tests.core.implicit.random_parts import Part, drawn, summed
from tests.oracles.followed_surface import followed_surface

_DENSITY = 0.35  # n sigma^2 / area of an even sampling
_SHARE = 0.5  # sigma over the thinnest half-axis
_CELL, _THIN_CELL = 0.45, 0.3  # sides of cells, over sigma and over the thinnest half-axis, at most
_BARE = 1.5  # sigma
_SEEN = 12  # nearest floaters among which one that looks the same way is looked for
_ALIKE = 0.7  # cosine between normals up to which the way between two places is taken as straight
_ODD = 0.12  # share by which the distance of a neighbour is off the median, from which it is measured along
_REACH, _AT_MOST = 2.0, 5_000  # sigma: how far ways along the surface are followed; how many are at most
_ALONG = 9  # places on the axis of a part from which rays start
# what is measured, and its bounds
_BOUNDS = {
    "lost": (0, 0),
    "density": (0.32, 0.37),
    "bare": (0.0, 0.0),
    "variation": (0.0, 0.05),
    "cover": (0.0, 1.25),
    "soon": (0, 75),
    "settled": (0, 250),
}


@dataclass(frozen=True)
class Surface:
    """Places (k, 3) on a surface, the normals there, the sides of its triangles (e, 2), and its area as
    smaller cells would have it.
    """

    places: Floats
    normals: Floats
    edges: Ints
    area: float

    @cached_property
    def tree(self) -> cKDTree:
        """The places."""
        return cKDTree(self.places)

    @cached_property
    def _beside(self) -> tuple[Ints, Ints]:
        """The places at the other ends of each place's sides, one after the other, and where each begins."""
        starts, ends = np.concatenate([self.edges, self.edges[:, ::-1]]).T
        order = np.argsort(starts, kind="stable")
        return ends[order], np.searchsorted(starts[order], np.arange(len(self.places) + 1))

    def sides(self, some: Ints) -> tuple[Ints, Ints]:
        """The sides between some places (k,), in order, both ways: rows (s,) of them at both ends."""
        ends, first = self._beside
        counts = first[some + 1] - first[some]
        row = np.repeat(np.arange(len(some)), counts)
        goal = ends[np.arange(counts.sum()) + np.repeat(first[some] - np.cumsum(counts) + counts, counts)]
        at = np.minimum(np.searchsorted(some, goal), len(some) - 1)
        kept = some[at] == goal
        return row[kept], at[kept]


def seen_along_rays(function: ImplicitFunction, parts: list[Part], step: float) -> Floats:
    """Places (s, 3) where rays from the axes of parts, in all directions along their axes, cross F = 0."""
    low, high = function.box()
    count = int(np.linalg.norm(high - low) / step) + 2
    far = step * np.arange(count)[:, None]
    found = []
    for part in parts:
        ways = np.concatenate([part.turn.T, -part.turn.T])
        for share in np.linspace(-0.9, 0.9, _ALONG):
            start = part.centre + share * part.axes[0] * part.turn[:, 0]
            for way in ways:
                places = start + far * way
                inside = function.value(places) < 0.0
                found.append(places[np.flatnonzero(inside[1:] != inside[:-1])])
    return np.concatenate(found)


def surface_of(function: ImplicitFunction, parts: list[Part], cell: float) -> Surface:
    """The surface by cells of a size, and by some twice as large."""
    starts = seen_along_rays(function, parts, cell)
    coarse, fine = (followed_surface(function.value, starts, size) for size in (2.0 * cell, cell))
    places = projected(function, fine.points, cell)
    normals = unit(function.gradient(places)[1])
    return Surface(places, normals, fine.edges, (4.0 * fine.area - coarse.area) / 3.0)


def distances(places: Floats, normals: Floats, floaters: Floaters, skip: int) -> Floats:
    """How far the nearest floater is that looks the same way as places (k, 3) do, (k,)."""
    count = min(_SEEN, len(floaters))
    apart, who = cKDTree(floaters.positions).query(places, np.arange(1 + skip, count + 1))
    alike = np.einsum("kci,ki->kc", floaters.normals[who], normals) > 0.0
    return np.asarray(np.where(alike, apart, np.inf).min(axis=1))


def _straight(places: Floats, normals: Floats, surface: Surface, own: Ints) -> Floats:
    """How far it is from places (k, 3) to some of a surface (m,), (k, m); infinite where these look apart."""
    apart = np.linalg.norm(places[:, None] - surface.places[own], axis=2)
    return np.asarray(np.where(normals @ surface.normals[own].T > _ALIKE, apart, np.inf))


def along(surface: Surface, places: Floats, normals: Floats, floaters: Floaters, reach: float) -> Floats:
    """How far the nearest floater is from places (k, 3), itself apart, along the surface (k,); infinite
    beyond a reach.

    A way leads straight to a place that looks alike, on over sides of triangles, and straight to a floater.
    """
    found = np.full(len(places), np.inf)
    tree = cKDTree(floaters.positions)
    for row, (place, normal) in enumerate(zip(places, normals, strict=True)):
        own = np.array(sorted(surface.tree.query_ball_point(place, reach)), dtype=int)
        others = np.array(tree.query_ball_point(place, reach), dtype=int)
        others = others[np.linalg.norm(floaters.positions[others] - place, axis=1) > 1e-9 * reach]
        if len(others) and len(own):
            first = _straight(place[None], normal[None], surface, own)[0]
            last = _straight(floaters.positions[others], floaters.normals[others], surface, own)
            starts, ends = surface.sides(own)
            long = np.linalg.norm(surface.places[own[starts]] - surface.places[own[ends]], axis=1)
            known = np.flatnonzero(np.isfinite(first))
            count = len(own)
            graph = coo_array(
                (
                    np.concatenate([long, first[known]]),
                    (np.append(starts, np.full(len(known), count)), np.append(ends, known)),
                ),
                shape=(count + 1, count + 1),
            )
            over = dijkstra(graph, indices=np.array([count]), limit=reach)[0, :count]
            found[row] = (over + last).min()
    return found


def measured(surface: Surface, floaters: Floaters, sigma: float) -> dict[str, float]:
    """How dense and how even floaters are."""
    circle = np.sqrt(2.0 * surface.area / (np.sqrt(3.0) * len(floaters)) / 3.0)
    away = distances(surface.places, surface.normals, floaters, 0)
    far = np.flatnonzero(away > min(_BOUNDS["cover"][1] * circle, _BARE * sigma))[:_AT_MOST]
    more = along(surface, surface.places[far], surface.normals[far], floaters, _REACH * sigma)
    away[far] = np.minimum(away[far], more)
    nearest = distances(floaters.positions, floaters.normals, floaters, 1)
    odd = np.flatnonzero(np.abs(nearest / np.median(nearest) - 1.0) > _ODD)[:_AT_MOST]
    more = along(surface, floaters.positions[odd], floaters.normals[odd], floaters, _REACH * sigma)
    nearest[odd] = np.where(np.isfinite(more), more, nearest[odd])
    nearest = nearest[np.isfinite(nearest)]
    return {
        "density": len(floaters) * sigma**2 / surface.area,
        "bare": 100.0 * float((away > _BARE * sigma).mean()),
        "variation": float(nearest.std() / nearest.mean()),
        "cover": float(away.max()) / circle,
    }


def sculpted(function: ImplicitFunction, sigma: float, steps: int) -> tuple[Floaters, list[int], int]:
    """The floaters at the end, their number after each step, and the step at which they were settled."""
    settings = SculptSettings(FloaterSettings(sigma))
    sculpting = Sculpting(function, settings, np.random.default_rng(0))
    counts = [len(sculpting.state.floaters)]
    while len(counts) <= steps:
        state = sculpting.step()
        counts.append(len(state.floaters))
        if state.status is SculptStatus.SETTLED:
            return state.floaters, counts, len(counts) - 1
    return sculpting.state.floaters, counts, steps + 1


def radius_for(parts: list[Part], least: int, most: int) -> tuple[float, float]:
    """Sigma, and the thinnest half-axis."""
    thinnest = min(float(part.axes.min()) for part in parts)
    area = sum(part.area for part in parts)
    low, high = (float(np.sqrt(_DENSITY * area / count)) for count in (most, least))
    return float(np.clip(_SHARE * thinnest, low, high)), thinnest


def scene(seed: int, least: int, most: int, steps: int) -> list[str]:
    """Print the line of a scene; return what is outside its bound."""
    how, parts, rng = drawn(seed)
    function = summed(parts, how, rng)
    sigma, thinnest = radius_for(parts, least, most)
    begun = time.process_time()
    floaters, counts, settled = sculpted(function, sigma, steps)
    seconds = time.process_time() - begun
    components = components_of(function)
    on = len(np.setdiff1d(components.numbers_of(floaters.positions), [-1]))
    surface = surface_of(function, parts, min(_CELL * sigma, _THIN_CELL * thinnest))
    found = measured(surface, floaters, sigma)
    few = np.flatnonzero(np.array(counts) < 0.9 * counts[-1])
    soon = int(few[-1]) + 1 if len(few) else 0
    found |= {"lost": len(components) - on, "soon": soon, "settled": settled}
    outside = [name for name, (low, high) in _BOUNDS.items() if not low <= found[name] <= high]
    ratio = "" if sigma == _SHARE * thinnest else f"{sigma / thinnest:.2f} of the thinnest "
    print(
        f"{seed:5} {len(components):3} {on:3} {len(floaters):6} {found['density']:.3f} {found['bare']:6.3f} "
        f"{found['variation']:.3f} {found['cover']:.2f} {soon:3} {settled:4} {seconds:5.1f} s "
        f"{' '.join(outside):20} {ratio}{how} sum of {', '.join(part.kind for part in parts)}",
        flush=True,
    )
    return outside


def main() -> None:
    """Print a line for each scene, and at last how many are outside of each bound."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--least", type=int, default=500)
    parser.add_argument("--most", type=int, default=8_000)
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.scenes)
    outside = [scene(seed, given.least, given.most, given.steps) for seed in seeds]
    print(f"{given.scenes} scenes, of which are outside of their bounds:")
    for name, (low, high) in _BOUNDS.items():
        print(f"  {name:10} {low} to {high}: {sum(name in own for own in outside)}")


if __name__ == "__main__":
    main()
