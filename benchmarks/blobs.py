"""A step of sculpting, beside Blender's own metaballs that re-evaluate the same fourteen blobs.

Run from the project's root: python -m benchmarks.blobs [--counts N ...] [--steps N] [--wild STEPS]
    [--seeds SEED ...]

1. Side by side, in turns: the time of a whole step (control points, floaters, radii, fission and death) with
   ten control points, one of them dragged about, and of a metaball re-evaluation after one element has
   moved, at about as many vertices; and how much the spacing varies (standard deviation of the distance to
   the nearest neighbour, over its mean).  Floaters are redistributed in every third step only, so it is the
   median over three steps each; in brackets the ratio of the means, which have the looks for what is bare,
   too.  Times are the clock's and, behind a slash, those that the main thread had a processor, which tell
   more while the machine does other things: other threads of numpy and Blender wait for work at full speed,
   and not for the step that is measured.  The metaballs need bpy.
2. How the step's time grows with the number r of floaters, beside r log r.
3. With --wild: so many steps of random drags, splits, merges and vanishing, for each seed. Nothing may be
   lost, and no pinned point farther off than 1e-3; with --counts and no number after it
   and --no-growth, only these are made.

What it prints goes to out/blobs.json, too.
"""

from __future__ import annotations

import argparse
import importlib
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TypedDict

import numpy as np
from scipy.spatial import cKDTree

from physplace_addon.core.implicit import ImplicitFunction
from physplace_addon.core.implicit.control.sculpting import Sculpting
from physplace_addon.core.implicit.control.state import SculptSettings
from physplace_addon.core.implicit.functions.frozen import Frozen
from physplace_addon.core.implicit.particles.floaters import FloaterSettings
from tests.core.implicit.surfaces import fourteen_spheres
from tests.core.implicit.wild import wild

OUT = Path("out")
COUNTS = (500, 2_000, 10_000, 40_000)
GROWTH = (500, 50_000)
SETTLING, CALM = 60, 40  # steps at most, and after the last drag
CONTROLS, ROUND = 10, 120  # the dragged one goes round once in so many steps


class Growth(TypedDict):
    """A step's seconds, by the clock and of the main thread, at a number of floaters."""

    floaters: int
    step: list[float]
    mean: list[float]


class Row(Growth):
    """A step and a metaball re-evaluation, and how much the spacing of both varies."""

    vertices: int
    metaballs: list[float]
    metaballs_mean: list[float]
    varies: float
    metaballs_vary: float
    varies_while_dragged: float


class Found(TypedDict, total=False):
    """What is written to the file."""

    beside_metaballs: list[Row]
    growth: list[Growth]
    wild: dict[int, dict[str, object]]


def now() -> tuple[float, float]:
    """The time, and how long this thread has had a processor."""
    return time.perf_counter(), time.thread_time()


def since(begun: tuple[float, float]) -> tuple[float, float]:
    """How much later it is."""
    ended = now()
    return ended[0] - begun[0], ended[1] - begun[1]


def blob() -> ImplicitFunction:
    """Fourteen blobby spheres, 56 free parameters: the bias is frozen."""
    whole = fourteen_spheres()
    return Frozen(whole, np.array([name != "bias" for name in whole.names]))


def settled(count: int) -> Sculpting:
    """A sculpting of about so many floaters, at rest, with its control points."""
    function = blob()
    coarse = Sculpting(function, SculptSettings(FloaterSettings(0.12)), np.random.default_rng(0))
    for _ in range(SETTLING):
        coarse.step()
    radius = 0.12 * float(np.sqrt(len(coarse.state.floaters) / count))
    made = Sculpting(function, SculptSettings(FloaterSettings(radius)), np.random.default_rng(0))
    for _ in range(2 * SETTLING):
        made.step()
    for direction in directions(CONTROLS):
        places = made.state.floaters.positions
        made.add(places[np.argmax(places @ direction)])
    return made


def directions(count: int) -> np.ndarray:
    """So many unit vectors, even over the sphere: what is farthest in each is there whatever the floaters."""
    height = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    turn = np.pi * (1.0 + np.sqrt(5.0)) * np.arange(count)
    across = np.sqrt(1.0 - height * height)
    return np.stack([across * np.cos(turn), across * np.sin(turn), height], axis=1)


class Dragged:
    """Steps of a sculpting in which one control point is dragged in circles."""

    def __init__(self, sculpting: Sculpting) -> None:
        self.sculpting, self.steps = sculpting, 0
        self.start = sculpting.state.controls.position[0].copy()

    def step(self) -> tuple[float, float]:
        """Make a step; return its seconds, and the main thread's."""
        turn = 2.0 * np.pi * self.steps / ROUND
        self.steps += 1
        target = self.start + 0.15 * np.array([np.sin(turn), 1.0 - np.cos(turn), np.sin(2.0 * turn)])
        begun = now()
        self.sculpting.drag(0, target)
        self.sculpting.step()
        return since(begun)


class Metaballs:
    """The same spheres as Blender's metaballs, at about so many vertices."""

    def __init__(self, count: int) -> None:
        self.bpy = importlib.import_module("bpy")
        self.bpy.ops.wm.read_factory_settings(use_empty=True)
        self.ball = self.bpy.data.metaballs.new("Blob")
        self.object = self.bpy.data.objects.new("Blob", self.ball)
        self.bpy.context.scene.collection.objects.link(self.object)
        self.ball.threshold = 0.1
        for *centre, radius in fourteen_spheres().parameters[1:].reshape(-1, 4).tolist():
            element = self.ball.elements.new()
            element.co, element.radius = centre, 1.5 * radius
        self._refine(count)
        self.steps = 0

    def _refine(self, count: int) -> None:
        size = 0.2
        for _ in range(6):
            self.ball.resolution = size
            found = len(self.vertices())
            size *= float(np.sqrt(found / count))

    def vertices(self) -> np.ndarray:
        """Re-evaluate; return the vertices (k, 3)."""
        self.object.update_tag()
        self.ball.update_tag()
        mesh = self.object.evaluated_get(self.bpy.context.evaluated_depsgraph_get()).to_mesh()
        places = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", places)
        return places.reshape(-1, 3).astype(float)

    def step(self) -> tuple[float, float]:
        """Move an element and re-evaluate; return its seconds, and the main thread's."""
        self.steps += 1
        begun = now()
        self.ball.elements[0].co.x += 1e-3 * (-1.0) ** self.steps
        self.object.evaluated_get(self.bpy.context.evaluated_depsgraph_get()).to_mesh()
        return since(begun)


def unevenness(places: np.ndarray) -> float:
    """How much the distance to the nearest neighbour varies."""
    distances, _ = cKDTree(places).query(places, k=[2])
    nearest = np.asarray(distances).ravel()
    return float(nearest.std() / nearest.mean())


def beside_metaballs(counts: list[int], steps: int) -> list[Row]:
    """Print the table of times and evenness."""
    print(f"{'floaters':>9}{'vertices':>9}{'step ms':>16}{'metaballs ms':>16}{'times':>21}", end="")
    print(f"{'spacing varies':>16}{'metaballs':>11}{'times':>7}{'while dragged':>15}")
    rows: list[Row] = []
    for count in counts:
        sculpting, peer = settled(count), peer_of(count)
        dragged, own, others = Dragged(sculpting), [], []
        for _ in range(steps):
            own.append(dragged.step())
            others.append(peer.step() if peer else (np.nan, np.nan))
        moving = unevenness(sculpting.state.floaters.positions)
        for _ in range(CALM):
            sculpting.step()
        positions = sculpting.state.floaters.positions
        vertices = peer.vertices() if peer else np.zeros((0, 3))
        row: Row = {
            "floaters": len(positions),
            "vertices": len(vertices),
            "step": median_of_threes(own),
            "mean": np.mean(own, axis=0).tolist(),
            "metaballs": median_of_threes(others),
            "metaballs_mean": np.mean(others, axis=0).tolist(),
            "varies": unevenness(positions),
            "metaballs_vary": unevenness(vertices) if peer else np.nan,
            "varies_while_dragged": moving,
        }
        rows.append(row)
        print(line(row), flush=True)
    return rows


def median_of_threes(seconds: list[tuple[float, float]]) -> list[float]:
    """The median over each three steps that follow each other, of their means."""
    threes = np.array(seconds[: len(seconds) // 3 * 3]).reshape(-1, 3, 2)
    return [float(own) for own in np.median(threes.mean(axis=1), axis=0)]


def line(row: Row) -> str:
    """One row of the table."""
    mine, theirs = 1e3 * np.array(row["step"]), 1e3 * np.array(row["metaballs"])
    times, even = theirs / mine, row["metaballs_vary"] / row["varies"]
    whole = row["metaballs_mean"][1] / row["mean"][1]
    counts = f"{row['floaters']:9}{row['vertices']:9}"
    paces = f"{mine[0]:8.2f} /{mine[1]:6.2f}{theirs[0]:8.2f} /{theirs[1]:6.2f}"
    ratios = f"{times[0]:6.2f} /{times[1]:5.2f} ({whole:5.2f})"
    varies = f"{row['varies']:16.4f}{row['metaballs_vary']:11.3f}{even:7.1f}"
    return counts + paces + ratios + varies + f"{row['varies_while_dragged']:15.4f}"


def peer_of(count: int) -> Metaballs | None:
    """The metaballs, or None without bpy."""
    try:
        importlib.import_module("bpy")
    except ImportError:
        return None
    return Metaballs(count)


def growth(steps: int) -> list[Growth]:
    """Print how the time grows from the least to the greatest number of floaters."""
    rows: list[Growth] = []
    for count in GROWTH:
        dragged = Dragged(settled(count))
        made = [dragged.step() for _ in range(steps)]
        shown, mean = len(dragged.sculpting.state.floaters), np.mean(made, axis=0).tolist()
        rows.append({"floaters": shown, "step": median_of_threes(made), "mean": mean})
    few, many = rows
    law = many["floaters"] * np.log(many["floaters"]) / (few["floaters"] * np.log(few["floaters"]))
    print(
        f"\nfrom r = {few['floaters']} at {1e3 * few['step'][0]:.2f} / {1e3 * few['step'][1]:.2f} ms to "
        f"r = {many['floaters']} at {1e3 * many['step'][0]:.1f} / {1e3 * many['step'][1]:.1f} ms: "
        f"{many['step'][0] / few['step'][0]:.0f} / {many['step'][1] / few['step'][1]:.0f} times; "
        f"r log r: {law:.0f} times"
    )
    return rows


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--counts", type=int, nargs="*", default=list(COUNTS))
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--wild", type=int, default=0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[11, 12, 13])
    parser.add_argument("--no-growth", action="store_true")
    given = parser.parse_args()
    found: Found = {"beside_metaballs": beside_metaballs(given.counts, given.steps)}
    if not given.no_growth:
        found["growth"] = growth(given.steps)
    if given.wild:
        found["wild"] = {seed: asdict(wild(seed, given.wild, say=print)) for seed in given.seeds}
        print(found["wild"])
    OUT.mkdir(exist_ok=True)
    (OUT / "blobs.json").write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
