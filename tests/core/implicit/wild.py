"""Wild interaction with a blob: random drags, pins, elements that come and go, split, merge and vanish."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import ndimage

from physplace_addon.core.arrays import Bools, Floats
from physplace_addon.core.implicit import blobby_spheres
from physplace_addon.core.implicit.control.sculpting import Sculpting
from physplace_addon.core.implicit.control.state import SculptSettings, SculptState
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.functions.gaussians.blob import Blob
from physplace_addon.core.implicit.particles.floaters import FloaterSettings
from tests.core.implicit.surfaces import fourteen_spheres

GRACE = 30  # steps after which each component must have a particle
EVERY = 10  # steps between two events
_CELL = 0.7  # of the floaters' radius: the grid
_FAR = 2.5  # where cursors go; the blob is about 1.5 large at first


@dataclass
class Wild:
    """What happened.

    crowd: the greatest population over what fitted the surface at most in the last 2 GRACE steps; off: the
    farthest that a pinned point was off, over the floaters' radius; lost: components without a particle for
    GRACE steps; broken: states with what is no number, or no size.
    """

    crowd: float = 0.0
    off: float = 0.0
    lost: int = 0
    broken: int = 0
    populations: tuple[int, int] = (0, 0)
    events: int = 0
    fits: list[float] = field(default_factory=list, repr=False)


def grid_of(blob: ImplicitFunction, cell: float) -> tuple[Floats, Bools]:
    """Places (x, y, z, 3) of a grid that holds a blob, and which are inside."""
    low, high = blob.box()
    counts = np.maximum(np.ceil((high - low) / cell), 1).astype(int) + 3
    axes = [low[i] + cell * (np.arange(counts[i]) - 1.0) for i in range(3)]
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    return places, (blob.value(places.reshape(-1, 3)) < 0.0).reshape(counts)


def components_without(places: Floats, inside: Bools, cell: float, positions: Floats) -> list[Floats]:
    """The centres of components, seen by a grid, that have no particle on them."""
    label = np.zeros(inside.shape, np.int32)
    ndimage.label(inside, np.ones((3, 3, 3)), label)
    count = int(label.max())
    owner = ndimage.grey_dilation(label, size=(3, 3, 3))
    index = np.rint((positions - places[0, 0, 0]) / cell).astype(int)
    index = np.clip(index, 0, np.array(inside.shape) - 1)
    seen = np.unique(owner[tuple(index.T)])
    sizes = np.bincount(label.ravel(), minlength=count + 1)
    missing = [number for number in range(1, count + 1) if number not in seen and sizes[number] > 2]
    return [places[label == number].mean(axis=0) for number in missing]


def area_of(inside: Bools, cell: float) -> float:
    """About the area: the faces of the grid between inside and outside, which are half as much again."""
    faces = sum(int((np.diff(inside.astype(int), axis=axis) != 0).sum()) for axis in range(3))
    return faces * cell**2 / 1.5


def happen(sculpting: Sculpting, draw: np.random.Generator) -> bool:
    """One random event; returns whether pinned points may have been left."""
    state = sculpting.state
    reach = np.array([[-_FAR] * 3, [_FAR] * 3])
    count, kind = len(state.controls), draw.integers(9)
    if (kind == 0 or count < 2) and len(state.floaters):
        sculpting.add(state.floaters.positions[draw.integers(len(state.floaters))])
    elif kind <= 3 and count:
        sculpting.drag(int(draw.integers(count)), draw.uniform(*reach))
    elif kind == 4 and count:
        sculpting.release(int(draw.integers(count)))
    elif kind == 5 and count:
        sculpting.remove(int(draw.integers(count)))
    elif kind == 6 and count:
        sculpting.pin(int(draw.integers(count)), draw.uniform(*reach))
    elif kind >= 7:
        assert isinstance(state.function, Blob)
        sculpting.change_function(changed(state.function, draw))
        return True
    return bool(kind == 6)


def changed(blob: Blob, draw: np.random.Generator) -> Blob:
    """Elements moved, added, taken away, or shrunk to next to nothing."""
    rows = blob.parameters[1:].reshape(-1, 4).copy()
    kind, one = draw.integers(5), draw.integers(len(rows)) if len(rows) else 0
    if kind == 0 or len(rows) < 4:
        rows = np.vstack([rows, [*draw.uniform(-1.5, 1.5, 3), draw.uniform(0.3, 0.7)]])
    elif kind == 1:
        rows = np.delete(rows, one, axis=0)
    elif kind == 2:
        rows[one, :3] = draw.uniform(-2.0, 2.0, 3)
    elif kind == 3:
        rows[one, 3] *= draw.choice([0.1, 0.5, 1.5])
    else:
        rows[:, :3] *= draw.choice([0.7, 1.4])
        rows[:, 3] = np.clip(rows[:, 3], 0.3, 0.7)
    rows[:, :3] -= np.clip(rows[:, :3], -3.0, 3.0).mean(axis=0)
    rows = np.clip(rows[-24:], [-3.0, -3.0, -3.0, 1e-3], [3.0, 3.0, 3.0, 1.0])
    return blobby_spheres(0.5, rows[:, :3], rows[:, 3])


def wild(seed: int, steps: int, radius: float = 0.2, say: Callable[[str], None] | None = None) -> Wild:
    """Sculpt for so many steps, an event in every tenth."""
    draw = np.random.default_rng(seed)
    settings = SculptSettings(FloaterSettings(radius))
    sculpting = Sculpting(fourteen_spheres(seed), settings, np.random.default_rng(seed))
    found, since = Wild(), 0
    missing: list[tuple[Floats, int]] = []
    populations: list[int] = []
    for step in range(steps):
        if step % EVERY == 0:
            missing = examined(found, sculpting.state, missing, radius)  # before an event takes parts away
            since = 0 if happen(sculpting, draw) else since
            found.events += 1
        state = sculpting.step()
        since += 1
        floaters, function = state.floaters, state.function
        numbers = (function.parameters, floaters.positions, floaters.radii, state.controls.position)
        sizes = function.parameters[function.positive]
        found.broken += not (all(np.isfinite(part).all() for part in numbers) and (sizes > 0.0).all())
        pinned = ~state.controls.free & ~state.stuck
        if since > EVERY and pinned.any():
            found.off = max(found.off, float(state.off[pinned].max()) / radius)
        populations.append(len(floaters))
        if say is not None and step % 500 == 0:
            say(f"{step:6} {len(floaters):6} floaters, {len(function.parameters):4} parameters: {found}")
    found.populations = (min(populations), max(populations))
    return found


def examined(
    found: Wild, state: SculptState, missing: Sequence[tuple[Floats, int]], radius: float
) -> list[tuple[Floats, int]]:
    """Look for crowds, and for components without a particle; return these with how often they were met."""
    blob = state.function
    if not np.all(blob.box()[0] <= blob.box()[1]):
        return []
    lonely, cell = [], _CELL * radius
    places, inside = grid_of(blob, cell)
    for at in components_without(places, inside, cell, state.floaters.positions):
        met = 1 + max((times for old, times in missing if np.linalg.norm(at - old) < radius), default=0)
        lonely.append((at, met))
        found.lost += met == GRACE // EVERY + 1
    found.fits = [*found.fits, 0.37 * area_of(inside, cell) / radius**2 + 8.0][-2 * GRACE // EVERY :]
    found.crowd = max(found.crowd, len(state.floaters) / max(found.fits))
    return lonely
