"""Fission and death of floaters (Witkin and Heckbert 1994, section 4.4).

Both wait until a floater is near equilibrium, |p'| < gamma sigma. It fissions if its radius is sigma_max, or
if it is adequately energized, D > nu E_hat, and its radius is above the desired one. It dies if its radius is
below delta of the desired one and a random number says so, the likelier the smaller it is.

What the paper leaves open, and what is added:

- One of the two halves stays where the parent was: on a blob that is small beside the radius, both would miss
  the surface.
- Radii are limited to sigma_max, so reaching it is enough to fission, near equilibrium or not: two floaters
  at the two ends of a small surface hardly repel each other and would sit still for ever; two that are nearer
  would drive each other on for ever, if moves as long as their radii leave the surface and are cut.
- A crowd whose surface shrinks under it would die in one step. Of floaters that are neighbours, the one with
  the smallest random number stays, so that each connected crowd keeps a floater; and none dies that has fewer
  than four neighbours: a tiny blob keeps a few floaters, and does not lose and regrow them in turns.
- Floaters crushed by a surface that shrinks never come to rest, and die without. So does, however few there
  are, one of two at the same place, which do not drive each other anywhere.
- Where the spacing varies, or the floaters are too few to be even, some are always a little too large or too
  small, and the population would never come to rest. While the surface is still, the bounds of both are
  widened step by step (`patience`). They are a little wider, too, while it changes: with each small swing of
  its area floaters would be lost and born again.
- A surface that shrank a little stays too full with the paper's delta: radii of 0.7 are twice the density of
  1. Floaters of some age die sooner, from `CALM_DEATH` of the desired radius, where all around them are so
  small.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import column_dot, column_length, column_rows
from .floaters import Floaters, FloaterSettings

Pairs = tuple[Ints, Ints]  # the numbers of both floaters of each pair (k,), (k,)

_FEW = 4  # neighbours below which a floater does not die
_BESIDE = 2.8  # radii: nearer floaters share area; neighbours at rest are 2 radii apart, the next ones 3.5
_CALM_AGE = 20  # steps from which on a floater may die sooner
CALM_DEATH = 0.86  # ratio to the desired radius from which it does
# steps at rest before bounds are widened; by how much in each step; at most
_PATIENT_FROM, _PATIENCE, _MOST_PATIENCE = 25, 0.005, 0.3
# ratios to the desired radius: floaters that never come to rest; two at the same place
_CRUSHED, _FLATTENED = 0.5, 0.04
_BIRTH_PLACE = 0.7  # radii between the half that stays and the other one


def patience(still: int) -> float:
    """Return by how much bounds are widened, after so many steps of a settled surface at rest."""
    return min(max(still - _PATIENT_FROM, 0) * _PATIENCE, _MOST_PATIENCE)


def deaths(
    floaters: Floaters,
    speed: Floats,
    pairs_of: Callable[[Bools], Pairs],
    settings: FloaterSettings,
    patience: float,
    rng: np.random.Generator,
) -> Bools:
    """Return which floaters (r,) die.

    Args:
        floaters: the floaters, with the radii after the step.
        speed: |p'| (r,), scene units per time.
        pairs_of: returns the ends of pairs of some floaters (r,) with others: of all near ones, or of those
            with their nearest neighbours.
        settings: gamma and delta.
        patience: by how much the bound of the radius is lowered.
        rng: the source of the random numbers.
    """
    dies = np.zeros(len(floaters), dtype=np.bool_)
    ratio = floaters.radii / ((1.0 - patience) * floaters.desired)
    who = (ratio < max(settings.death, CALM_DEATH)).nonzero()[0]
    if not len(who):
        return dies
    low = ratio.take(who)
    at_rest = speed.take(who) < settings.equilibrium * floaters.radii.take(who)
    old = floaters.ages.take(who) >= _CALM_AGE
    who = who[((low < settings.death) | old) & (at_rest | (low < _CRUSHED))]
    if not len(who):
        return dies
    luck, low = rng.random(len(floaters)), ratio.take(who)
    unlucky = luck.take(who) > low / np.where(low < settings.death, settings.death, CALM_DEATH)
    if not np.count_nonzero(unlucky):
        return dies
    small = dies.copy()
    small[who] = True
    pairs = _side_by_side(floaters, pairs_of(small))
    count = _sums(None, pairs, len(ratio)).take(who)
    mean = (low + _sums(ratio, pairs, len(ratio)).take(who)) / (1.0 + count)
    calm = (low < settings.death) | (mean < CALM_DEATH)
    small[who] = calm
    least = _least_around(np.where(small, luck, -1.0), pairs).take(who)
    few = np.where(low < _FLATTENED, 1, _FEW)
    dies[who] = calm & unlucky & (luck.take(who) > least) & (count >= few)
    return dies


def _side_by_side(floaters: Floaters, pairs: Pairs) -> Pairs:
    """Return the pairs that share area: near ones with normals that look the same way."""
    first, second = pairs
    positions, gradients, radii = floaters.positions, floaters.gradients, floaters.radii
    apart = column_length(column_rows(positions, first) - column_rows(positions, second))
    alike = column_dot(column_rows(gradients, first), column_rows(gradients, second))
    reach = _BESIDE * np.maximum(radii.take(first), radii.take(second))
    which = ((apart < reach) & (alike > 0.0)).nonzero()[0]
    return first.take(which), second.take(which)


def _sums(values: Floats | None, pairs: Pairs, count: int) -> Floats:
    """Return the sums (count,) of values (count,) over each floater's neighbours; of ones for None."""
    first, second = pairs
    given = (None, None) if values is None else (values.take(second), values.take(first))
    sums = np.bincount(first, given[0], count) + np.bincount(second, given[1], count)
    return np.asarray(sums, dtype=np.float64)


def _least_around(values: Floats, pairs: Pairs) -> Floats:
    """Return the least of values (r,) over each floater's neighbours (r,); infinite for a lone one."""
    first, second = pairs
    least = np.full(len(values), np.inf)
    np.minimum.at(least, first, values.take(second))
    np.minimum.at(least, second, values.take(first))
    return least


def fissions(
    floaters: Floaters,
    energy: Floats,
    speed: Floats,
    greatest: Floats,
    settings: FloaterSettings,
    patience: float,
) -> Ints:
    """Return the numbers (k,) of the floaters that fission.

    Args:
        floaters: the floaters, with the radii after the step.
        energy: D (r,).
        speed: |p'| (r,), scene units per time.
        greatest: sigma_max (r,), at least 1.5 of the desired radii.
        settings: gamma, nu and E_hat.
        patience: by how much the bound of the radius is raised.
    """
    who = (floaters.radii > (1.0 + patience) * floaters.desired).nonzero()[0]
    radii = floaters.radii.take(who)
    room = energy.take(who) > settings.energized * settings.energy
    huge = radii >= greatest.take(who) * (1.0 - 1e-9)
    return who[huge | ((speed.take(who) < settings.equilibrium * radii) & room)]


def fission(floaters: Floaters, parents: Ints, rng: np.random.Generator) -> Floaters:
    """Return the floaters with the parents (k,) split in two, radii divided by sqrt 2; newborns come last."""
    radii = floaters.radii[parents] / np.sqrt(2.0)
    all_radii, ages = floaters.radii.copy(), floaters.ages.copy()
    all_radii[parents], ages[parents] = radii, 0
    old = Floaters(floaters.positions, all_radii, floaters.gradients, floaters.desired, ages)
    new = old.take(parents)
    way = _tangent(new.normals, rng) * (_BIRTH_PLACE * radii)[:, None]
    return old.with_more(Floaters(new.positions + way, radii, new.gradients, new.desired, new.ages))


def _tangent(normals: Floats, rng: np.random.Generator) -> Floats:
    """Return random unit vectors (k, 3) at right angles to normals (k, 3)."""
    way = np.asfortranarray(rng.normal(size=normals.shape))
    way -= column_dot(way, normals)[:, None] * normals
    return np.asarray(way / np.maximum(column_length(way), 1e-12)[:, None])
