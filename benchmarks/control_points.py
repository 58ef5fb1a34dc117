"""What control points change: the least, by themselves and beside scipy.

Run from the project's root: python -m benchmarks.control_points [--drags N]

1. Random drags of random blobs of fourteen spheres, up to ten points: the norm of the change in the metric
   over that of an independent least-norm solution, less one.
2. A point of a ball that is dragged across another ball and beyond: the greatest radius, .8 at first.
3. A hundred pins about three balls, which no surface of the kind passes through: the root of the mean square
   distance, in the floaters' radii, beside scipy's least squares from the same start.
4. The same with the bias free.  scipy's least within bounds |q| <= 1.5, 3, 6, ... : where it falls with every
   bound, the least is at infinity, and the surface stays where steps no longer gain anything.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import Frozen, ImplicitFunction, blobby_spheres
from physplace_addon.core.implicit.control.sculpting import Sculpting
from physplace_addon.core.implicit.control.state import SculptSettings
from physplace_addon.core.implicit.particles.floaters import FloaterSettings
from tests.core.implicit.control.least_norm import random_drags
from tests.core.implicit.control.pulled_blobs import samples

DRAGS_EACH = 5  # drags of one blob
RADIUS, PINS, NOISE = 0.15, 100, 0.6  # floaters' radius; pins, and how far off the balls, in these radii
SEEDS, STEPS, SETTLING = 4, 300, 40
BOUNDS = (1.5, 3.0, 6.0, 12.0, 24.0)
EVALUATIONS = 600  # of scipy, for each bound
least_squares: Callable[..., Any] = vars(optimize)["least_squares"]  # mypy takes it for scipy's module


def drags(count: int) -> None:
    """Print how far changes are from the least ones."""
    blobs = range(-(-count // DRAGS_EACH))
    made = [drag for seed in blobs for drag in random_drags(seed, DRAGS_EACH)][:count]
    excess = max(abs(drag.made / drag.least - 1.0) for drag in made)
    missed = max(drag.missed for drag in made)
    print(f"{len(made)} drags: norm over the least less one at most {excess:.1e}, asked {missed:.1e} off")


def across() -> None:
    """Print the greatest radius while a point is dragged across another ball, for balls at some distances."""
    for apart in (2.2, 3.0, 4.0):
        blob = blobby_spheres(0.5, [[0.0, 0.0, 0.0], [apart, 0.0, 0.0]], 0.8)
        print(f"across a ball {apart} away: greatest radius {greatest_radius(blob, apart + 4.0):.3f}")


def greatest_radius(blob: ImplicitFunction, far: float, steps: int = 200) -> float:
    """Return the greatest radius while the point at the blob's left end is dragged so far to the right."""
    sculpting = Sculpting(blob, SculptSettings(FloaterSettings(RADIUS)), np.random.default_rng(0))
    for _ in range(SETTLING):
        sculpting.step()
    places = sculpting.state.floaters.positions
    start, greatest = places[np.argmin(places[:, 0])].copy(), 0.0
    point = sculpting.add(start)
    for step in range(2 * steps):
        sculpting.drag(point, start + min(1.0, step / steps) * np.array([far, 0.0, 0.0]))
        radii = sculpting.step().function.parameters[1:].reshape(-1, 4)[:, 3]
        greatest = max(greatest, float(radii.max()))
    return greatest


def contradicting(seed: int) -> tuple[ImplicitFunction, Floats]:
    """Return three balls, and pins (100, 3) about them."""
    draw = np.random.default_rng(seed)
    centres = np.array([[0.0, 0.0, 0.0], [0.6, 0.0, 0.0], [0.2, 0.6, 0.1]]) + 0.1 * draw.normal(size=(3, 3))
    blob = blobby_spheres(0.5, centres, draw.uniform(0.4, 0.6, 3))
    return blob, samples(blob, PINS, seed) + NOISE * RADIUS * draw.normal(size=(PINS, 3))


def distances(function: ImplicitFunction, parameters: Floats, places: Floats) -> Floats:
    """Return F / |F_x| (n,) at places (n, 3), of the function with other parameters."""
    value, gradient = function.with_parameters(parameters).gradient(places)
    return np.asarray(value / np.maximum(np.linalg.norm(gradient, axis=1), 1e-200))


def spread(off: Floats) -> float:
    """Return the root of the mean square of distances (n,), in the floaters' radii."""
    return float(np.sqrt(np.mean(off**2))) / RADIUS


def sculpted(function: ImplicitFunction, places: Floats) -> float:
    """Return the spread at which sculpting with pins at places (n, 3) ends."""
    sculpting = Sculpting(function, SculptSettings(FloaterSettings(RADIUS)), np.random.default_rng(0))
    for place in places:
        sculpting.add(place)
    for _ in range(STEPS):
        if not sculpting.step().status.is_running:
            break
    return spread(distances(function, sculpting.state.function.parameters, places))


def pins() -> None:
    """Print the spreads with the bias frozen."""
    for seed in range(SEEDS):
        blob, places = contradicting(seed)
        function = Frozen(blob, np.arange(len(blob.parameters)) > 0)
        ours = sculpted(function, places)
        theirs = least_squares(
            lambda q, f=function, x=places: distances(f, q, x), function.parameters, xtol=1e-12, ftol=1e-12
        )
        print(
            f"pins {seed}: {ours:.4f}, scipy {spread(theirs.fun):.4f}, ratio {ours / spread(theirs.fun):.4f}"
        )


def pins_with_bias() -> None:
    """Print scipy's spreads within bounds, with the bias free, and where ours end."""
    for seed in range(SEEDS):
        blob, places = contradicting(seed)
        found, parameters = [], blob.parameters
        for bound in BOUNDS:
            lower = np.where(blob.positive, 1e-3, -bound)
            theirs = least_squares(
                lambda q, f=blob, x=places: distances(f, q, x),
                np.clip(parameters, lower + 1e-9, bound - 1e-9),
                bounds=(lower, np.full(len(lower), bound)),
                x_scale="jac",
                max_nfev=EVALUATIONS,
            )
            parameters = theirs.x
            found.append(f"{spread(theirs.fun):.4f} at |q| = {np.abs(parameters).max():.3g}")
        print(f"pins {seed}, bias free: {sculpted(blob, places):.4f}, scipy {', '.join(found)}")


def main() -> None:
    """Run all four."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--drags", type=int, default=500)
    given = parser.parse_args()
    drags(given.drags)
    across()
    pins()
    pins_with_bias()


if __name__ == "__main__":
    main()
