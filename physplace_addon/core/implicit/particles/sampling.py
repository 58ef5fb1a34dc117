"""Adaptive sampling of a surface that may move, step by step (Witkin and Heckbert 1994, sections 3.3 to 5).

In a step of dt floaters repel each other and follow the surface's parameters (equations 9 and 5), radii adapt
(equations 10, 12, 13), and positions and radii take Euler's step. Some floaters fission or die. All are
brought to the surface as it is after the step; one that finds none is removed. A component without floaters
gets a seed.

While a surface changes that floaters fill already, only those that moved are repelled (`rest`), in every
third step. All others are carried along: they go to the closest points of the surface as it is then, which
is equation 5 with P = 0 over a finite step.

Beyond the rim of a surface as thin as paper, Newton's steps say that the surface is near where there is none.
So no floater may go far out of the surface's box.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import Bools, Floats, Ints, Scratch
from ...vectors import column_length, column_rows
from ..functions.base import ImplicitFunction
from ..neighbours import ordered_by_place
from ..projection import newton_step
from ..sizing_field import desired_repulsion_radii
from .attachment import attached_to_surface, constrained_velocity, following, limited_moves, shortened_moves
from .component_seeding import ComponentSeeding
from .fission_and_death import deaths, fission, fissions, patience
from .floaters import Floaters, FloaterSettings, filled_gaps
from .neighbour_table import NEIGHBOURS
from .repulsion import (
    SETTLED,
    SPEEDUP,
    Repulsion,
    adapted_radii,
    repulsion,
    settled_radii,
)
from .rest import Rest
from .verlet_list import VerletList

# share of the desired radius that radii keep: two floaters at one place would shrink without end
_LEAST = 0.02
_LONG = 20  # steps on a still surface after which settled floaters are taken to be at rest
_CROWDED = 0.7  # mean ratio of radii to the desired ones below which all are repelled, by all that are near
_LARGE = 4000  # floaters whose positions do not all fit into the processor's nearest cache
# share of the radius by which the bounds of fission and death are wider while the surface changes: where its
# area swings a little there are as many floaters all along
_SWING = 0.04
_SHORT = 0.5  # radii: a floater that moves no farther in a step stays on its component


class Sampling:
    """Keeps floaters spread evenly over a surface while it moves; `advance` is one step.

    It remembers only what makes the next step cheaper, for how long nothing has changed, and where new
    components were looked for. The floaters themselves are passed in and out, so earlier ones may be taken up
    again. `settings` may be replaced between steps, but for the radius and the bounds.
    """

    def __init__(self, settings: FloaterSettings, rng: np.random.Generator) -> None:
        self.settings = settings
        self._settings_before = settings
        self._rng = rng
        self._neighbours, self._scratch = VerletList(), Scratch()
        self._seeding = ComponentSeeding(settings)
        self._floaters: Floaters | None = None
        self._rest: Rest | None = None
        self._still = 0
        self._function: ImplicitFunction | None = None

    def first_floaters(self, function: ImplicitFunction) -> Floaters:
        """Return a floater on each component of the surface that a first look finds.

        Raises:
            SamplingError: for a surface that is infinite, if no bounds are set.
        """
        none = Floaters.at(np.zeros((0, 3)), self.settings.radius)
        return self._kept(self._seeding.all(function, none), function)

    def advance(
        self,
        floaters: Floaters,
        function: ImplicitFunction,
        rate: Floats | None = None,
        after: ImplicitFunction | None = None,
    ) -> Floaters:
        """Return the floaters after one step of dt.

        Args:
            floaters: those before the step.
            function: F before the step.
            rate: q' (m,), the rate of its parameters per unit of time; None while the surface rests.
            after: F after the step; None while the surface rests.

        Raises:
            SamplingError: for a surface that is infinite, if no bounds are set.
        """
        after = function if after is None else after
        if self._function is None:
            self._seeding.measure(function)
        if len(floaters):
            if self._may_rest(floaters, function, after):
                floaters, rest = self._current_rest(floaters)
                floaters = self._followed(floaters, rest, function, rate, after)
            else:
                if self._rest is not None:
                    self._rest, self._neighbours = None, VerletList()
                floaters = self._moved(floaters, function, rate, after)
        return self._kept(self._seeding.filled(after, floaters), after)

    @property
    def covered(self) -> bool:
        """Whether the last look to the end found nothing bare, and the surface has not changed since."""
        return self._seeding.covered

    def completed(self, floaters: Floaters, function: ImplicitFunction) -> Floaters:
        """Return the floaters, with new ones on every component and every patch that has none.

        It looks to the end, which may take as long as many steps. Where it finds nothing they are the same,
        and the surface is covered.
        """
        found = self._seeding.completed(function, floaters)
        return floaters if len(found) == len(floaters) else self._kept(found, function)

    def _may_rest(self, floaters: Floaters, function: ImplicitFunction, after: ImplicitFunction) -> bool:
        """Return whether floaters that repulsion would hardly move need only follow the surface."""
        known = floaters is self._floaters and function is self._function and after is not function
        if not known or len(floaters) <= 2 * NEIGHBOURS:
            return False
        if self._rest is not None and self._rest.has_waited:
            return True  # all have waited since they were asked the last time
        return _CROWDED < float(np.add.reduce(floaters.radii / floaters.desired)) / len(floaters) < SETTLED

    def _current_rest(self, floaters: Floaters) -> tuple[Floaters, Rest]:
        """Return the floaters, and which of them rest; it begins when the surface does to change.

        Then many are put in the order of their places, so that neighbours are found in the processor's cache.
        """
        if self._rest is None:
            if len(floaters) > _LARGE:
                floaters = floaters.take(ordered_by_place(floaters.positions))
            self._rest = Rest.of_calm(floaters) if self._still >= _LONG else Rest()
        return floaters, self._rest

    def _followed(
        self,
        floaters: Floaters,
        rest: Rest,
        function: ImplicitFunction,
        rate: Floats | None,
        after: ImplicitFunction,
    ) -> Floaters:
        """Return the floaters at the closest points of the surface after the step, with repulsion, adaption,
        fission and death of those that are awake.

        Args:
            floaters: those before the step.
            rest: which of them rest.
            function: F before the step.
            rate: q' (m,), or None.
            after: F after the step.
        """
        self._still = 0
        rows = rest.awake(floaters)
        if len(rows):
            floaters = self._repelled(floaters, rest, rows, function)
            places = self._seeding.within_reach(after, floaters.positions)
        else:
            floaters, places = floaters.aged(), floaters.positions
        predicted = None if rate is None else following(function, rate, self.settings.time_step)
        short = _SHORT * self.settings.radius
        on = self._landed(floaters, rest.expected(floaters, places), after, short, predicted)
        if len(on) == len(places):
            rest.followed(places, on, short)
        return on

    def _repelled(self, floaters: Floaters, rest: Rest, rows: Ints, function: ImplicitFunction) -> Floaters:
        """Return the floaters after repulsion, adaption, fission and death of some of them (m,)."""
        settings, short = self.settings, _SHORT * self.settings.radius
        own = floaters.take(rows)
        greatest, force_radii = self._greatest(own), settled_radii(floaters.radii, floaters.desired)
        felt = rest.table.repulsion(floaters, force_radii, rows, settings.amplitude)
        velocity = constrained_velocity(felt.desired_velocity, own.gradients, None)
        moves, way = self._moves(own, velocity)
        moved = self._grown(own, moves, felt, greatest)
        rest.evaluated(own, rows, moved.radii)
        places, radii = floaters.positions.copy(order="K"), floaters.radii.copy()
        ends = shortened_moves(function, own.positions, moved.positions, short)
        for axis, end in zip(places.T, ends.T, strict=True):
            axis[rows] = end
        radii[rows], way_at_once = moved.radii, way / (SPEEDUP * settings.time_step)
        speed = np.full(len(floaters), np.inf)  # of those that were not looked at: they do not die
        speed[rows] = way_at_once
        grown = Floaters(places, radii, floaters.gradients, floaters.desired, floaters.ages + 1)
        dead = deaths(grown, speed, rest.table.pairs, settings, _SWING, self._rng)
        parents = rows.take(fissions(moved, felt.energy, way_at_once, greatest, settings, _SWING))
        parents = parents[~dead[parents]][: max(settings.most - len(floaters), 0)]
        if len(parents):
            rest.born_beside(parents, len(floaters))
            grown, born = fission(grown, parents, self._rng), slice(len(grown), None)
            starts = column_rows(grown.positions, parents)
            grown.positions[born] = shortened_moves(function, starts, grown.positions[born], short)
        return self._without(grown, dead)

    def _moved(
        self, floaters: Floaters, function: ImplicitFunction, rate: Floats | None, after: ImplicitFunction
    ) -> Floaters:
        """Return the floaters after repulsion, adaption, fission and death, on the surface after the step."""
        settings = self.settings
        floaters, value = self._evaluated(floaters, function)
        greatest = self._greatest(floaters)
        force_radii = settled_radii(floaters.radii, floaters.desired)
        settled = force_radii is not floaters.radii
        self._waited(settled and after is function and function is self._function)
        pairs = self._neighbours.of(floaters, force_radii)
        normals = None if pairs.folded is None else floaters.normals
        felt = repulsion(
            floaters.positions, floaters.radii, force_radii, pairs, settings.amplitude, self._scratch, normals
        )
        pull = None if value is None else settings.feedback * value
        carried = floaters.positions  # by the surface alone: moves begin on the surface after the step
        if rate is not None:
            along = function.parameter_rate(floaters.positions, rate)
            pull = along if pull is None else pull + along
            off = settings.time_step * along + (0.0 if value is None else value)
            steps, _ = newton_step(off, floaters.gradients, 0.125 * self._seeding.diameter)
            carried = self._seeding.within_reach(after, carried - steps)
        velocity = constrained_velocity(felt.desired_velocity, floaters.gradients, pull)
        moves, way = self._moves(floaters, velocity)
        grown = self._grown(floaters, moves, felt, greatest)
        speed = way / (SPEEDUP * settings.time_step)
        waits = patience(self._still)
        dead = deaths(grown, speed, pairs.ends_of, settings, waits, self._rng)
        parents = fissions(grown, felt.energy, speed, greatest, settings, waits)
        parents = parents[~dead[parents]][: max(settings.most - len(floaters), 0)]
        starts = carried
        if len(parents):
            grown = fission(grown, parents, self._rng)
            starts = np.concatenate([starts, column_rows(starts, parents)])
        if np.count_nonzero(dead):
            starts = column_rows(starts, filled_gaps(_padded(dead, len(grown))))
            grown = self._without(grown, dead)
        places = self._seeding.within_reach(after, grown.positions)
        places = shortened_moves(after, starts, places, _SHORT * settings.radius)
        return self._landed(grown, places, after)

    def _waited(self, settled: bool) -> None:
        """Count the steps in which neither the surface nor the settings of its floaters changed."""
        self._still = self._still + 1 if settled and self.settings is self._settings_before else 0
        self._settings_before = self.settings

    def _moves(self, floaters: Floaters, velocity: Floats) -> tuple[Floats, Floats]:
        """Return the moves of a step (r, 3), of a radius at most, and how long they would be without limit
        (r,).
        """
        moves, way = limited_moves(self.settings.time_step * velocity, floaters.radii)
        bounds = self.settings.bounds
        if bounds is None:
            return moves, way
        moves = np.clip(floaters.positions + moves, *bounds) - floaters.positions
        return moves, column_length(moves)  # a floater pressed against them is at rest

    def _without(self, floaters: Floaters, dead: Bools) -> Floaters:
        """Return the floaters without the dead (d,), and forget these; newborns come behind."""
        if not np.count_nonzero(dead):
            return floaters
        dead = _padded(dead, len(floaters))
        self._forget(dead)
        return floaters.without(dead)

    def _forget(self, dead: Bools) -> None:
        """Forget what is known of the floaters of a mask (r,)."""
        if self._rest is None:
            self._neighbours.without(dead)
        else:
            self._rest.without(dead)

    def _evaluated(self, floaters: Floaters, function: ImplicitFunction) -> tuple[Floaters, Floats | None]:
        """Return the floaters with F_x at their positions, and F (r,); None, for 0, where the last step left
        them.
        """
        if floaters is self._floaters and function is self._function:
            return floaters, None
        positions = np.asfortranarray(floaters.positions)
        value, gradients = function.gradient(positions)
        gradients, desired = (
            np.asfortranarray(gradients),
            desired_repulsion_radii(function, positions, self.settings),
        )
        return Floaters(positions, floaters.radii, gradients, desired, floaters.ages), value

    def _grown(self, floaters: Floaters, moves: Floats, felt: Repulsion, greatest: Floats) -> Floaters:
        """Return the floaters after their moves (r, 3), with adapted radii."""
        settings = self.settings
        rate, beta = settings.feedback * settings.time_step, settings.softness / self._seeding.diameter
        radii = adapted_radii(floaters.radii, felt, settings.energy, rate, beta, greatest)
        radii = np.maximum(radii, _LEAST * floaters.desired)
        return Floaters(
            floaters.positions + moves, radii, floaters.gradients, floaters.desired, floaters.ages + 1
        )

    def _greatest(self, floaters: Floaters) -> Floats:
        """Return sigma_max (r,)."""
        return np.maximum(0.5 * self._seeding.diameter, 1.5 * floaters.desired)

    def _landed(
        self,
        floaters: Floaters,
        places: Floats,
        function: ImplicitFunction,
        short: float = np.inf,
        predicted: Callable[[Floats], Floats] | None = None,
    ) -> Floaters:
        """Return the floaters on the surface, without those that find none.

        Args:
            floaters: the floaters.
            places: where they are after their moves (r, 3).
            function: F after the step.
            short: the length in scene units up to which the way from there to the surface is safe.
            predicted: as `attached_to_surface` takes it.
        """
        bounds = self.settings.bounds
        if bounds is not None:
            places = np.clip(places, *bounds)
        on = attached_to_surface(
            function, places, floaters.radii, 0.125 * self._seeding.diameter, short, predicted
        )
        lost = on.lost if bounds is None else on.lost | _outside(on.positions, bounds, self.settings.radius)
        desired = desired_repulsion_radii(function, on.positions, self.settings)
        landed = Floaters(on.positions, floaters.radii, on.gradients, desired, floaters.ages)
        left = self._without(landed, lost)
        self._seeding.has_lost |= len(left) < len(landed)
        return left

    def _kept(self, floaters: Floaters, function: ImplicitFunction) -> Floaters:
        """Remember the floaters, whose F_x is that of the function, and return them."""
        self._floaters, self._function = floaters, function
        return floaters


def _padded(dead: Bools, count: int) -> Bools:
    """Return a mask (d,) with more at its end, up to `count`, that are not dead."""
    return np.concatenate([dead, np.zeros(count - len(dead), dtype=np.bool_)])


def _outside(positions: Floats, bounds: Floats, margin: float) -> Bools:
    """Return which positions (r,) are farther out of a box (2, 3) than a margin."""
    return np.asarray(((positions < bounds[0] - margin) | (positions > bounds[1] + margin)).any(axis=1))
