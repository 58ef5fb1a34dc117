"""The paper's experiments (Snyder 1995, Figure 9) and scenes (Figures 10 to 16): figures beside the paper's.

Run from the project's root: python -m benchmarks.snyder
    [--starts N] [--eps E ...] [--only WORD] [--no-pictures]

Every experiment is run from its careless start (a quarter of R above first touch, tilted by 25 degrees) and
from N random ones. Overlap is that of all states, measured on shapes that share no code with the solver. What
it prints, and more, goes to out/snyder.json; a picture of every rest to out/snyder-*.png.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.scenes import SCENES, Scene
from physplace_addon.core.placement import Certificate, Placement, Settings
from physplace_addon.core.rigid import Pose
from tests.core.placement.experiments import (
    PAPER,
    active_of,
    careless_start,
    clearance,
    random_start,
    standing,
)

OUT = Path("out")


@dataclass(frozen=True)
class Figures:
    """How a placement ended; lengths in scene units, residuals in units of the weight."""

    status: str
    steps: int
    contacts: int
    overlap: float
    gap: float
    residual_force: float
    residual_torque: float
    required_friction: float
    stable: bool

    @classmethod
    def of(cls, certificate: Certificate) -> Figures:
        """Return a certificate's figures."""
        return cls(
            certificate.status.name,
            certificate.steps,
            len(certificate.contacts),
            certificate.overlap,
            certificate.gap,
            certificate.residual_force,
            certificate.residual_torque,
            certificate.required_friction,
            certificate.stable,
        )


@dataclass(frozen=True)
class Run:
    """An experiment from one start: its end, its seconds, and the deepest overlap of any state over R."""

    end: Figures
    seconds: float
    deepest: float


@dataclass(frozen=True)
class Runs:
    """An experiment's runs: from its careless start by eps_max, and from random starts."""

    paper: int | None
    careless: dict[float, Run] = field(default_factory=dict)
    random: list[Run] = field(default_factory=list)

    @property
    def all(self) -> list[Run]:
        """The runs from all starts."""
        return [*self.careless.values(), *self.random]


@dataclass(frozen=True)
class Built:
    """A scene: the seconds it took, and how each of its bodies ended."""

    seconds: float
    bodies: list[Figures]


def deepest(name: str, placement: Placement, radius: float) -> float:
    """The deepest overlap of any state over R, by the oracle; 0 if there is none."""
    least = min(
        clearance(name, state.pose.matrix, state.pose.translation, below=0.0) for state in placement.states
    )
    return max(0.0, -float(least) / radius)


def experiment(name: str, start: Pose, eps_max: float) -> tuple[Run, Placement]:
    """Run one experiment from one start."""
    body = active_of(name).body
    begun = time.perf_counter()
    placement = Placement(body, start, standing(name)[2], Settings(eps_max=eps_max))
    certificate = placement.run()
    seconds = round(time.perf_counter() - begun, 3)
    return Run(Figures.of(certificate), seconds, deepest(name, placement, body.radius)), placement


def line(name: str, label: str, run: Run) -> str:
    """One row of the table."""
    end = run.end
    return (
        f"{name:27} {label:>9} {PAPER[name] or 0:5} {end.steps:5} {run.seconds:7.2f} s "
        f"{end.contacts:3} {end.overlap:8.1e} {run.deepest:8.1e} {end.gap:8.1e} "
        f"{max(end.residual_force, end.residual_torque):8.1e} "
        f"{'stable' if end.stable else 'metastable':10} {end.status.lower()}"
    )


def run_experiments(names: list[str], eps: list[float], starts: int, pictures: bool) -> dict[str, Runs]:
    """Run all experiments from all starts; return their runs by name."""
    print(f"{'experiment':27} {'start':>9} paper steps    time  contacts overlap  of states   gap   residual")
    table = {name: Runs(PAPER[name]) for name in names}
    for name, runs in table.items():
        for eps_max in eps:
            run, placement = experiment(name, careless_start(name, 0), eps_max)
            runs.careless[eps_max] = run
            print(line(name, f"eps {eps_max}", run), flush=True)
        if pictures:
            show_experiment(name, placement)
        for seed in range(starts):
            generator = np.random.default_rng([sum(map(ord, name)), seed])
            run, _ = experiment(name, random_start(name, generator), eps[0])
            runs.random.append(run)
            print(line(name, f"random {seed}", run), flush=True)
    return table


def summary(table: dict[str, Runs], eps: list[float]) -> None:
    """Sums of iterations, and how many runs came to rest without an overlap."""
    for eps_max in eps:
        steps = sum(runs.careless[eps_max].end.steps for runs in table.values())
        paper = sum(runs.paper or 0 for runs in table.values())
        print(f"eps {eps_max}: {steps} iterations, the paper {paper}")
    every = [run for runs in table.values() for run in runs.all]
    rest = {"BALANCED", "BALANCED_BY_FRICTION", "AT_ENERGY_MINIMUM"}
    ended = sum(run.end.status in rest for run in every)
    worst = max(run.deepest for run in every)
    print(f"{ended} of {len(every)} runs at rest; deepest overlap of any state {worst:.1e} R")


def show_experiment(name: str, placement: Placement) -> None:
    """A picture of an experiment's rest."""
    from benchmarks.pictures import picture

    still = [(body, Pose.identity()) for body in standing(name)[2][1:]]
    body = active_of(name).body
    at = placement.state.pose.points(body.mass.center)
    far = 3.2 * max([body.radius] + [other.radius for other, _ in still]) + 1.0
    picture(file_of(name, "png"), [*still, (body, placement.state.pose)], tuple(at.tolist()), far)


def run_scenes(word: str, pictures: bool) -> dict[str, Built]:
    """Build the scenes of Figures 10 to 16 whose name has a word; return them by name."""
    table: dict[str, Built] = {}
    for build in SCENES:
        if word not in build.__name__.replace("_", " "):
            continue
        begun = time.perf_counter()
        scene = build()
        ended = [Figures.of(each) for placement in scene.placements for each in placement.certificates()]
        seconds = round(time.perf_counter() - begun, 1)
        table[scene.name] = Built(seconds, ended)
        print(
            f"{scene.name:32} {len(scene.standing):3} bodies {seconds:7.1f} s, "
            f"{sum(each.steps for each in ended)} steps, largest overlap "
            f"{max(each.overlap for each in ended):.1e}, "
            f"{', '.join(sorted({each.status.lower() for each in ended}))}",
            flush=True,
        )
        if pictures:
            show_scene(scene)
    return table


def show_scene(scene: Scene) -> None:
    """A picture of a scene."""
    from benchmarks.pictures import picture

    picture(file_of(scene.name, "png"), scene.standing, scene.looks_at, scene.distance)


def file_of(name: str, ending: str) -> Path:
    """Where what belongs to a name is written."""
    return OUT / f"snyder-{re.sub('[^a-z0-9]+', '-', name.lower())}.{ending}"


def main() -> None:
    """Run what was asked for, print it and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--starts", type=int, default=0, help="random starts of each experiment")
    parser.add_argument("--eps", type=float, nargs="+", default=[0.05, 0.2])
    parser.add_argument("--only", default="", help="experiments and scenes whose name has this word")
    parser.add_argument("--no-pictures", action="store_true")
    given = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    names = [name for name in PAPER if given.only in name]
    table = run_experiments(names, given.eps, given.starts, not given.no_pictures)
    if table:
        summary(table, given.eps)
    scenes = run_scenes(given.only, not given.no_pictures)
    written = {
        "experiments": {name: asdict(runs) for name, runs in table.items()},
        "scenes": {name: asdict(scene) for name, scene in scenes.items()},
    }
    (OUT / "snyder.json").write_text(json.dumps(written, indent=1, default=float))
    print(f"Written to {OUT / 'snyder.json'}")


if __name__ == "__main__":
    main()
