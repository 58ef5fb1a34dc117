"""Floaters: particles that sample an implicit surface and stay on it (Witkin and Heckbert 1994, sections 3.3,
4).

A floater i has a position p_i, a repulsion radius sigma_i, and a desired one, sigma_hat_i. The parts of a
step: `attachment` keeps it on the surface (equation 5), `repulsion` drives it from its neighbours (equation
9) and adapts its radius (equations 10 to 13), `verlet_list` keeps the list of neighbours. While the surface
changes `rest` knows which floaters hardly move, and `neighbour_table` keeps the neighbours of the others.
`fission_and_death` changes the population (section 4.4), `component_seeding` finds components without
floaters, and `sampling` puts these together. `sizing_field` gives the desired radii.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...errors import SamplingError
from ...vectors import column_length, column_rows

_Rows = TypeVar("_Rows", Floats, Ints)


@dataclass(frozen=True, eq=False)
class FloaterSettings:
    """The parameters of the paper's table (section 5), and where spacing varies.

    Only `radius` is set by an artist. Lengths of the table are relative to the surface's diameter d: its
    beta, which has the unit 1 / length, is `softness` / d.

    Attributes:
        radius: sigma_hat, the desired repulsion radius, in scene units.
        turn: radians by which the normal may turn over a radius; above 0, radii shrink where the surface
            bends.
        focus: points (k, 3) near which radii shrink, or None.
        focus_size: scene units over which they do so.
        focus_share: the share of `radius` at a point of `focus`.
        least_share: the least share of `radius` anywhere.
        bounds: the lowest and the highest corner (2, 3) of a box that cuts off an infinite or too large
            surface.
        most: the greatest number of floaters.
        time_step: dt.
        feedback: phi and rho, 1 / time.
        amplitude: alpha.
        energy: E_hat, 0.8 alpha.
        softness: beta d.
        equilibrium: gamma, the speed in radii per time below which a floater is near equilibrium.
        energized: nu, the share of E_hat above which a floater may fission.
        death: delta, the share of sigma_hat below which a floater may die.

    Raises:
        SamplingError: for a radius, shares or bounds without meaning.
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
        """Raise SamplingError for a radius, shares or bounds without meaning."""
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
    """r floaters on a surface. Positions and gradients are best stored by columns, for speed.

    Attributes:
        positions: p (r, 3) in scene units.
        radii: sigma (r,) in scene units.
        gradients: F_x (r, 3) at the positions, or zero before the first step.
        desired: sigma_hat (r,) in scene units.
        ages: the steps since each came into being (r,).
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
        """Return new floaters at positions (r, 3), all of one radius in scene units.

        Raises:
            SamplingError: for a position that is not finite.
        """
        places = np.array(np.reshape(positions, (-1, 3)), dtype=np.float64, order="F")
        if not np.isfinite(places).all():
            raise SamplingError("floater", "a position that is not finite", "give positions in the scene")
        radii = np.full(len(places), float(radius))
        return cls(places, radii, np.zeros_like(places), radii.copy(), np.zeros(len(places), dtype=np.intp))

    @property
    def normals(self) -> Floats:
        """The surface's outward unit normals (r, 3); zero where F_x is."""
        length = column_length(self.gradients)
        length[length == 0.0] = 1.0
        return np.asarray(self.gradients / length[:, None])

    def take(self, keep: Bools | Ints) -> Floaters:
        """Return some floaters, by a mask (r,) or by numbers (k,)."""
        which: Ints = np.flatnonzero(keep) if keep.dtype == np.bool_ else keep.astype(np.intp, copy=False)
        return Floaters(
            column_rows(self.positions, which),
            self.radii.take(which),
            column_rows(self.gradients, which),
            self.desired.take(which),
            self.ages.take(which),
        )

    def aged(self) -> Floaters:
        """Return the floaters a step older."""
        return Floaters(self.positions, self.radii, self.gradients, self.desired, self.ages + 1)

    def without(self, dead: Bools) -> Floaters:
        """Return the floaters without those of a mask (r,), the last ones in their places as `filled_gaps`
        says.
        """
        count = len(dead) - np.count_nonzero(dead)
        gaps, last = dead[:count].nonzero()[0], count + (~dead[count:]).nonzero()[0]

        def filled(own: _Rows) -> _Rows:
            kept = own[:count].copy(order="K")
            kept[gaps] = own[last]
            return kept

        return Floaters(
            filled(self.positions),
            filled(self.radii),
            filled(self.gradients),
            filled(self.desired),
            filled(self.ages),
        )

    def with_more(self, more: Floaters) -> Floaters:
        """Return these floaters followed by others."""
        return Floaters(
            np.concatenate([self.positions, more.positions]),
            np.concatenate([self.radii, more.radii]),
            np.concatenate([self.gradients, more.gradients]),
            np.concatenate([self.desired, more.desired]),
            np.concatenate([self.ages, more.ages]),
        )


def filled_gaps(dead: Bools) -> Ints:
    """Return the numbers (k,) of those that are not dead (r,), the last ones in the places of the dead."""
    count = len(dead) - np.count_nonzero(dead)
    order = np.arange(count)
    order[dead[:count]] = count + np.flatnonzero(~dead[count:])
    return order
