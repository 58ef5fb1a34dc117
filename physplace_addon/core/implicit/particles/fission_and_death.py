"""Fission and death of floaters (Witkin and Heckbert 1994, section 4.4).

Both wait for a floater to come near equilibrium, |p'| < gamma sigma.  It splits if its radius is at the
greatest one there is, or if it feels others, D > nu E_hat, and its radius is above the desired one.  It may
die if its radius is below delta of the desired, the likelier the smaller it is.

What the paper leaves open, and what is added:

- One half stays where it was: on a blob that is small beside the radius, both would fall off.
- Radii are cut at the greatest, so reaching it is enough to split: two floaters at the two ends of a small
  surface feel little of each other and would sit still for ever.
- A crowd whose surface shrinks under it would die in one step.  Of floaters that are neighbours the one with
  the best luck stays, so each connected crowd keeps somebody; and nobody dies who has fewer than four
  neighbours: a tiny blob keeps a few floaters, and does not lose and regrow them in turns.
- Those crushed by a surface that shrinks never come to rest, and die without; so does, however few there are,
  one of two at the same place, who do not drive each other anywhere.
- Where spacing changes from place to place, or the floaters are too few to be even, someone is always a
  little too large or too small, and the population never comes to rest.  While the surface is still, patience
  grows: it widens the bounds of both (`patience`).
- A surface that shrank a little stays too full with the paper's delta: radii of .7 are twice the density of
  1.  Floaters of some age die sooner, from `_CALM_DEATH` of the desired radius, where all around are so
  small.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import column_dot, column_length, column_rows
from .floaters import Floaters, FloaterSettings
from .repulsion import FloaterPairs

_FEW = 4
_BESIDE = 2.8  # radii: who is nearer shares land; neighbours at rest are 2 apart, the next ones 3.5
_CALM_AGE = 20
_CALM_DEATH = 0.86
_PATIENT_FROM, _PATIENCE, _MOST_PATIENCE = 25, 0.005, 0.3
_CRUSHED, _FLATTENED = 0.5, 0.04  # of the desired radius: who comes to no rest; who is at another's place
_BIRTH_PLACE = 0.7  # of the radius: how far beside a half that stays the other starts


def patience(still: int) -> float:
    """Return by how much bounds are widened after so many steps of a surface at rest, and settled."""
    return min(max(still - _PATIENT_FROM, 0) * _PATIENCE, _MOST_PATIENCE)


def deaths(
    floaters: Floaters,
    speed: Floats,
    pairs: FloaterPairs,
    settings: FloaterSettings,
    patience: float,
    rng: np.random.Generator,
) -> Bools:
    """Return which floaters (r,) die; speed (r,) in scene units per unit of time, patience 0 or more."""
    ratio = floaters.radii / ((1.0 - patience) * floaters.desired)
    small = np.zeros(len(ratio), dtype=bool)
    who = (ratio < max(settings.death, _CALM_DEATH)).nonzero()[0]
    if not len(who):
        return small
    low, age = ratio.take(who), floaters.ages.take(who)
    at_rest = speed.take(who) < settings.equilibrium * floaters.radii.take(who)
    small[who] = ((low < settings.death) | (age >= _CALM_AGE)) & (at_rest | (low < _CRUSHED))
    if not np.count_nonzero(small):
        return small
    luck = rng.random(len(floaters))
    unlucky = luck > ratio / np.where(ratio < settings.death, settings.death, _CALM_DEATH)
    if not np.count_nonzero(small & unlucky):
        return np.zeros(len(ratio), dtype=bool)
    near = np.flatnonzero(small.take(pairs.first) | small.take(pairs.second))
    pairs = _side_by_side(floaters, pairs.first.take(near), pairs.second.take(near), pairs.weight.take(near))
    count = _sums(np.ones(len(ratio)), pairs)
    mean = (ratio + _sums(ratio, pairs)) / (1.0 + count)
    small &= (ratio < settings.death) | (mean < _CALM_DEATH)
    unlucky &= luck > _least_around(np.where(small, luck, -1.0), pairs)
    few = np.where(ratio < _FLATTENED, 1, _FEW)
    return np.asarray(small & unlucky & (count >= few))


def _side_by_side(floaters: Floaters, first: Ints, second: Ints, weight: Floats) -> FloaterPairs:
    """Return the pairs that share land, for they are near and look the same way: others may be on different
    components.
    """
    positions, gradients, radii = floaters.positions, floaters.gradients, floaters.radii
    apart = column_length(column_rows(positions, first) - column_rows(positions, second))
    alike = column_dot(column_rows(gradients, first), column_rows(gradients, second))
    reach = _BESIDE * np.maximum(radii.take(first), radii.take(second))
    near = np.flatnonzero((apart < reach) & (alike > 0.0))
    return FloaterPairs(first.take(near), second.take(near), weight.take(near))


def _sums(values: Floats, pairs: FloaterPairs) -> Floats:
    """Return the sums of values (r,) over each floater's neighbours (r,)."""
    first, second = pairs.first, pairs.second
    size = len(values)
    sums = np.bincount(first, values[second], size) + np.bincount(second, values[first], size)
    return np.asarray(sums, dtype=np.float64)


def _least_around(values: Floats, pairs: FloaterPairs) -> Floats:
    """Return the least of values (r,) over each floater's neighbours (r,); infinite for a lone one."""
    least = np.full(len(values), np.inf)
    np.minimum.at(least, pairs.first, values[pairs.second])
    np.minimum.at(least, pairs.second, values[pairs.first])
    return least


def fissions(
    floaters: Floaters,
    energy: Floats,
    speed: Floats,
    greatest: Floats,
    settings: FloaterSettings,
    patience: float,
) -> Ints:
    """Return the floaters that split, by number (k,); `greatest` (r,) is sigma_max, half more than desired at
    least, patience 0 or more.
    """
    who = (floaters.radii > (1.0 + patience) * floaters.desired).nonzero()[0]
    radii = floaters.radii.take(who)
    room = energy.take(who) > settings.energized * settings.energy
    huge = radii >= greatest.take(who) * (1.0 - 1e-9)
    return who[(speed.take(who) < settings.equilibrium * radii) & (huge | room)]


def fission(floaters: Floaters, parents: Ints, rng: np.random.Generator) -> Floaters:
    """Return the floaters with the parents (k,) split in two; newborns come last, beside their parents."""
    radii = floaters.radii[parents] / np.sqrt(2.0)
    all_radii, ages = floaters.radii.copy(), floaters.ages.copy()
    all_radii[parents], ages[parents] = radii, 0
    old = Floaters(floaters.positions, all_radii, floaters.gradients, floaters.desired, ages)
    new = old.only(parents)
    way = _tangent(new.normals, rng) * (_BIRTH_PLACE * radii)[:, None]
    return old.with_more(Floaters(new.positions + way, radii, new.gradients, new.desired, new.ages))


def _tangent(normals: Floats, rng: np.random.Generator) -> Floats:
    """Return random unit vectors (k, 3) at right angles to normals (k, 3)."""
    way = np.asfortranarray(rng.normal(size=normals.shape))
    way -= column_dot(way, normals)[:, None] * normals
    return np.asarray(way / np.maximum(column_length(way), 1e-12)[:, None])
