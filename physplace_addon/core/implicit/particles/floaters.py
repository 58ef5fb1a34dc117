"""Floaters: particles that roam over an implicit surface and show it (Witkin and Heckbert 1994, sections 3.3
and 4).

A floater i stands at p_i, claims land with its radius sigma_i, and should have the desired radius
sigma_hat_i. What it does in a step is in the modules of the same words: `attachment` keeps it on the surface,
`repulsion` drives it from its `neighbours`, `population` lets it split or die, `seeding` finds land without
any, `spacing` says what radius is desired where; `sampling` puts them together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...errors import SamplingError
from ...vectors import column_length, column_rows


@dataclass(frozen=True, eq=False)
class FloaterSettings:
    """What the table of section 5 sets.  `radius` is sigma_hat, in scene units, the only one that an artist
    sets.

    Lengths of the table are made relative to the surface's diameter d: its beta, 1 / length, is `softness` /
    d.

    Spacing: with `turn` above 0, radii shrink where the surface bends, so that its normal turns by no more
    than `turn` radians over a radius; within `focus_size` of a point of `focus` (k, 3) they shrink to
    `focus_share` of `radius`.  None gets below `least_share` of `radius`.

    `bounds` (2, 3), the lowest and the highest corner, cuts off a surface that is infinite, or too large.
    """

    radius: float
    turn: float = 0.0
    focus: Floats | None = None
    focus_size: float = 0.0
    focus_share: float = 0.5
    least_share: float = 0.25
    bounds: Floats | None = None
    most: int = 200_000
    time_step: float = 0.03
    feedback: float = 15.0  # phi and rho
    amplitude: float = 6.0  # alpha
    energy: float = 4.8  # E_hat, 0.8 alpha
    softness: float = 10.0  # beta d
    equilibrium: float = 4.0  # gamma
    energized: float = 0.2  # nu
    death: float = 0.7  # delta

    def __post_init__(self) -> None:
        """Raise SamplingError for a radius or bounds without meaning."""
        if not (np.isfinite(self.radius) and self.radius > 0.0):
            raise SamplingError("radius", f"{self.radius}", "give a length above 0")
        if not 0.0 < self.focus_share <= 1.0 or not 0.0 < self.least_share <= 1.0:
            found = f"{self.focus_share} and {self.least_share}"
            raise SamplingError("focus share and least share", found, "give shares of the radius, up to 1")
        if self.bounds is not None and not (
            np.shape(self.bounds) == (2, 3)
            and np.isfinite(self.bounds).all()
            and np.all(self.bounds[0] <= self.bounds[1])
            and np.ptp(self.bounds) > 0.0
        ):
            raise SamplingError("bounds", f"{self.bounds}", "give the lowest and the highest corner of a box")


@dataclass(frozen=True, eq=False)
class Floaters:
    """r floaters on a surface.

    positions (r, 3) and radii (r,) in scene units; gradients (r, 3) are F_x there, or zero before the first
    step; desired (r,) the desired radii; ages (r,) steps since each came to be.  For speed, positions and
    gradients are best kept column by column (see `rows`).
    """

    positions: Floats
    radii: Floats
    gradients: Floats
    desired: Floats
    ages: Ints

    def __len__(self) -> int:
        return len(self.positions)

    @classmethod
    def at(cls, positions: Floats, radius: float) -> Floaters:
        """Return new floaters at positions (r, 3), each of one radius in scene units."""
        places = np.array(np.reshape(positions, (-1, 3)), dtype=np.float64, order="F")
        if not np.isfinite(places).all():
            raise SamplingError("floater", "a position that is not finite", "give positions in the scene")
        radii = np.full(len(places), float(radius))
        return cls(places, radii, np.zeros_like(places), radii.copy(), np.zeros(len(places), dtype=np.intp))

    @property
    def normals(self) -> Floats:
        """The surface's unit normals (r, 3), outwards; zero where the surface has none."""
        length = column_length(self.gradients)
        length[length == 0.0] = 1.0
        return np.asarray(self.gradients / length[:, None])

    def only(self, keep: Bools | Ints) -> Floaters:
        """Return some of them, by a mask (r,) or by number."""
        which: Ints = np.flatnonzero(keep) if keep.dtype == np.bool_ else keep.astype(np.intp, copy=False)
        return Floaters(
            column_rows(self.positions, which),
            self.radii.take(which),
            column_rows(self.gradients, which),
            self.desired.take(which),
            self.ages.take(which),
        )

    def with_more(self, more: Floaters) -> Floaters:
        """Return these, then others."""
        return Floaters(
            np.concatenate([self.positions, more.positions]),
            np.concatenate([self.radii, more.radii]),
            np.concatenate([self.gradients, more.gradients]),
            np.concatenate([self.desired, more.desired]),
            np.concatenate([self.ages, more.ages]),
        )
