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
from pathlib import Path

import numpy as np

from benchmarks.scenes import SCENES, Scene
from physplace_addon.core.placement import Placement, Settings
from tests.core.placement.experiments import (
    PAPER,
    active_of,
    careless_start,
    clearance,
    random_start,
    standing,
)

OUT = Path("out")


def figures(certificate, seconds: float) -> dict:
    """What a placement's end is told by."""
    return {
        "status": certificate.status.name,
        "steps": certificate.steps,
        "seconds": round(seconds, 3),
        "contacts": len(certificate.contacts),
        "overlap": certificate.overlap,
        "gap": certificate.gap,
        "residual_force": certificate.residual_force,
        "residual_torque": certificate.residual_torque,
        "required_friction": certificate.required_friction,
        "stable": certificate.stable,
    }


def deepest(name: str, placement: Placement, radius: float) -> float:
    """The deepest overlap of any state over R, by the oracle; 0 if there is none."""
    least = min(
        clearance(name, state.pose.matrix, state.pose.translation, below=0.0) for state in placement.states
    )
    return max(0.0, -float(least) / radius)


def experiment(name: str, start, eps_max: float) -> tuple[dict, Placement]:
    """Run one experiment from one start."""
    body = active_of(name).body
    begun = time.perf_counter()
    placement = Placement(body, start, standing(name)[2], Settings(eps_max=eps_max))
    certificate = placement.run()
    found = figures(certificate, time.perf_counter() - begun)
    return found | {"deepest_state": deepest(name, placement, body.radius)}, placement


def line(name: str, label: str, found: dict) -> str:
    """One row of the table."""
    return (
        f"{name:27} {label:>9} {PAPER[name]:5} {found['steps']:5} {found['seconds']:7.2f} s "
        f"{found['contacts']:3} {found['overlap']:8.1e} {found['deepest_state']:8.1e} {found['gap']:8.1e} "
        f"{max(found['residual_force'], found['residual_torque']):8.1e} "
        f"{'stable' if found['stable'] else 'metastable':10} {found['status'].lower()}"
    )


def run_experiments(names: list[str], eps: list[float], starts: int, pictures: bool) -> dict:
    """All experiments from all starts; returns what is written to the file."""
    print(f"{'experiment':27} {'start':>9} paper steps    time  contacts overlap  of states   gap   residual")
    table: dict = {}
    for name in names:
        rows = table.setdefault(name, {"paper": PAPER[name], "careless": {}, "random": []})
        for eps_max in eps:
            found, placement = experiment(name, careless_start(name, 0), eps_max)
            rows["careless"][str(eps_max)] = found
            print(line(name, f"eps {eps_max}", found), flush=True)
        if pictures:
            show_experiment(name, placement)
        for seed in range(starts):
            generator = np.random.default_rng([sum(map(ord, name)), seed])
            found, _ = experiment(name, random_start(name, generator), eps[0])
            rows["random"].append(found)
            print(line(name, f"random {seed}", found), flush=True)
    return table


def summary(table: dict, eps: list[float]) -> None:
    """Sums of iterations, and how many runs came to rest without an overlap."""
    for eps_max in eps:
        steps = sum(rows["careless"][str(eps_max)]["steps"] for rows in table.values())
        paper = sum(rows["paper"] for rows in table.values())
        print(f"eps {eps_max}: {steps} iterations, the paper {paper}")
    runs = [found for rows in table.values() for found in [*rows["careless"].values(), *rows["random"]]]
    rest = {"BALANCED", "BALANCED_BY_FRICTION", "AT_ENERGY_MINIMUM"}
    ended = sum(found["status"] in rest for found in runs)
    worst = max(found["deepest_state"] for found in runs)
    print(f"{ended} of {len(runs)} runs at rest; deepest overlap of any state {worst:.1e} R")


def show_experiment(name: str, placement: Placement) -> None:
    """A picture of an experiment's rest."""
    from benchmarks.pictures import picture
    from physplace_addon.core.rigid import Pose

    still = [(body, Pose.identity()) for body in standing(name)[2][1:]]
    body = active_of(name).body
    at = placement.state.pose.points(body.mass.center)
    far = 3.2 * max([body.radius] + [other.radius for other, _ in still]) + 1.0
    picture(file_of(name, "png"), [*still, (body, placement.state.pose)], tuple(at.tolist()), far)


def run_scenes(word: str, pictures: bool) -> dict:
    """All scenes of Figures 10 to 16."""
    table = {}
    for build in SCENES:
        if word not in build.__name__.replace("_", " "):
            continue
        begun = time.perf_counter()
        scene = build()
        found = [figures(c, 0.0) for placement in scene.placements for c in placement.certificates()]
        table[scene.name] = {"seconds": round(time.perf_counter() - begun, 1), "bodies": found}
        ends = sorted({each["status"].lower() for each in found})
        print(
            f"{scene.name:32} {len(scene.standing):3} bodies {table[scene.name]['seconds']:7.1f} s, "
            f"{sum(each['steps'] for each in found)} steps, largest overlap "
            f"{max(each['overlap'] for each in found):.1e}, {', '.join(ends)}",
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
    written = {"experiments": table, "scenes": scenes}
    (OUT / "snyder.json").write_text(json.dumps(written, indent=1, default=float))
    print(f"Written to {OUT / 'snyder.json'}")


if __name__ == "__main__":
    main()
