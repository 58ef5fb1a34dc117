"""The table of nearest neighbours: what is in a row, how long it holds, and what repulsion it gives."""

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.arrays import Bools, Floats, Ints
from physplace_addon.core.implicit.particles.floater_pairs import across_grooves
from physplace_addon.core.implicit.particles.floaters import Floaters, filled_gaps
from physplace_addon.core.implicit.particles.neighbour_table import (
    NEIGHBOURS,
    NeighbourTable,
    nearest_facing,
    with_far,
)
from physplace_addon.core.implicit.particles.repulsion import repulsion
from tests.core.implicit.particles.scattered_floaters import ALPHA, all_pairs, scattered

ROWS = np.array([3, 0, 57, 150])


def at(positions: Floats, normals: Floats, radius: float = 0.1) -> Floaters:
    count = len(positions)
    radii = np.full(count, radius)
    places = np.asfortranarray(positions)
    return Floaters(places, radii, np.asfortranarray(normals), radii.copy(), np.ones(count, dtype=np.intp))


def sheet(side: int = 16, radius: float = 0.1, seed: int = 0) -> Floaters:
    """An even, not quite regular sampling of a plane."""
    draw, spacing = np.random.default_rng(seed), 1.816 * radius
    row, column = np.divmod(np.arange(side * side), side)
    places = np.stack([column + 0.5 * (row % 2), np.sqrt(0.75) * row, 0.0 * row], axis=1) * spacing
    places[:, :2] += 0.05 * spacing * draw.normal(size=(side * side, 2))
    return at(places, np.tile([0.0, 0.0, 1.0], (side * side, 1)), radius)


def by_brute_force(floaters: Floaters, row: int, reach: float) -> list[tuple[float, float]]:
    """The distances and weights of the nearest ones that look the same way, or are across a groove."""
    way, normal = floaters.positions[row] - floaters.positions, floaters.normals[row]
    apart, cosine = np.linalg.norm(way, axis=1), floaters.normals @ normal
    weight = 1.0 + 2.0 * cosine
    near = np.flatnonzero((np.arange(len(apart)) != row) & (weight > 0.0) & (apart < reach))
    across, share = across_grooves(way.T, np.repeat(normal[:, None], len(way), axis=1), floaters.normals.T)
    weight = np.where(across, share, np.minimum(weight, 1.0))
    order = near[np.argsort(apart[near], kind="stable")][:NEIGHBOURS]
    return [(float(apart[one]), float(weight[one])) for one in order]


@pytest.mark.parametrize("kind", ["scattered", "two faces of a sheet", "two at each place", "few"])
def test_a_row_has_the_nearest_that_look_the_same_way(kind: str) -> None:
    draw = np.random.default_rng(4)
    positions, rows, reach = scattered(200)[0], ROWS, 0.3
    normals = np.tile([0.0, 0.0, 1.0], (200, 1))
    if kind == "scattered":
        normals = draw.normal(size=(200, 3))
    elif kind == "two faces of a sheet":
        positions[:, 2], normals[::2] = 0.01 * (np.arange(200) % 2), [0.0, 0.0, -1.0]
    elif kind == "two at each place":
        positions[1::2] = positions[::2]
    else:
        positions, normals, rows = positions[:7], normals[:7], np.array([0, 6])
    floaters = at(positions, normals)
    numbers, distances, weights, _ = nearest_facing(floaters, rows, reach)
    for column, row in enumerate(rows):
        there = numbers[:, column] < len(floaters)
        who = numbers[there, column]
        assert row not in who
        assert len(set(who)) == len(who)
        apart = np.linalg.norm(floaters.positions[who] - floaters.positions[row], axis=1)
        assert np.allclose(apart, distances[there, column], rtol=1e-12, atol=0.0)
        expected = by_brute_force(floaters, row, reach)
        found = list(zip(distances[there, column], weights[there, column], strict=True))
        assert np.allclose(sorted(found), sorted(expected), rtol=1e-12, atol=1e-15)


def errors(table: NeighbourTable, floaters: Floaters, rows: Ints) -> tuple[float, float]:
    """By how much the table's energies and desired velocities differ from those of all pairs, in shares of
    the energy, and of the velocity that one neighbour at the usual distance gives.
    """
    radii = floaters.radii
    whole = repulsion(floaters.positions, radii, radii.copy(), all_pairs(len(floaters)), ALPHA)
    felt = table.repulsion(floaters, radii.copy(), rows, ALPHA)
    one = 1.816 * radii[0] * 4.0 * ALPHA * np.exp(-0.5 * 1.816**2)
    velocity = np.linalg.norm(felt.desired_velocity - whole.desired_velocity[rows], axis=1) / one
    energy = np.abs(felt.energy / whole.energy[rows] - 1.0)
    assert np.allclose(felt.stiffness, whole.stiffness[rows], rtol=0.1)
    return float(energy.max()), float(velocity.max())


def test_its_repulsion_is_that_of_all_pairs_while_the_surface_is_carried_and_sheared() -> None:
    """In thirty looks a sheet goes thirty radii far and is sheared by a half; in each, two floaters die, and
    two are born where these were.
    """
    floaters, table, draw = sheet(), NeighbourTable(), np.random.default_rng(5)
    shear = np.array([[1.0, 0.0, 0.0], [0.5 / 30.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    table.look(floaters, np.arange(len(floaters)))
    for _ in range(30):
        rows = np.flatnonzero((draw.random(len(floaters)) < 0.7) | (floaters.ages == 0))
        assert np.array_equal(table.look(floaters, rows), rows)
        energy, velocity = errors(table, floaters, rows)
        assert energy < 0.03
        assert velocity < 0.08
        replaced = draw.choice(len(floaters), 2, replace=False)
        dead: Bools = np.zeros(len(floaters) + 2, dtype=np.bool_)
        dead[replaced] = True
        aged, born = (replace(floaters, ages=floaters.ages + 1), replace(floaters, ages=0 * floaters.ages))
        floaters = aged.with_more(born.take(replaced))
        table.born_beside(replaced)
        table.without(dead)
        floaters = floaters.take(filled_gaps(dead))
        moved = np.asfortranarray(floaters.positions @ shear + np.array([0.1, 0.0, 0.0]))
        floaters = replace(floaters, positions=moved)


def test_sides_of_a_groove_that_have_become_alike_or_opposite_are_felt_the_straight_way() -> None:
    """Rows hold while distances do, whichever way the surface turns meanwhile."""
    positions = np.array([[-0.05, 0.0, 0.05], [0.05, 0.0, 0.05]])
    open_, alike, opposite = (
        at(positions, np.array(normals))
        for normals in (
            [[np.sqrt(0.5), 0.0, np.sqrt(0.5)], [-np.sqrt(0.5), 0.0, np.sqrt(0.5)]],
            [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]],
            [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]],
        )
    )
    table, rows = NeighbourTable(), np.arange(2)
    table.look(open_, rows)
    felt = [table.repulsion(own, own.radii, rows, ALPHA) for own in (open_, alike, opposite)]
    assert all(np.isfinite(own.desired_velocity).all() for own in felt)
    assert felt[0].desired_velocity[0, 2] > 0.0
    for own in felt[1:]:
        assert own.desired_velocity[0, 0] < 0.0
        assert own.desired_velocity[0, 1:].tolist() == [0.0, 0.0]


def test_few_rows_of_which_nothing_is_known_wait_for_a_search_but_newborns_do_not() -> None:
    floaters, table = sheet(), NeighbourTable()
    every, most = np.arange(len(floaters)), np.arange(len(floaters) - 5)
    assert np.array_equal(table.look(floaters, most), most)
    for _ in range(7):
        assert np.array_equal(table.look(floaters, every), most)
    assert np.array_equal(table.look(floaters, every), every)
    parent, born = np.array([136]), len(floaters)
    table.born_beside(parent)
    new = floaters.take(parent)
    beside = replace(new, positions=new.positions + np.array([0.07, 0.0, 0.0]))
    floaters = floaters.with_more(beside)
    assert born in table.look(floaters, np.append(every, born))
    numbers = table.seen(with_far(floaters.positions), np.append(parent, born)).numbers
    assert numbers[0].tolist() == [born, 136]
    assert len(set(numbers[:, 1])) == NEIGHBOURS


def test_who_takes_the_number_of_a_dead_one_is_still_a_neighbour() -> None:
    """Two die at the edge of a sheet whose numbers are in no order, eight times: the last ones, which take
    their numbers, are anywhere.
    """
    draw, table, whole = np.random.default_rng(3), NeighbourTable(), sheet()
    floaters = whole.take(draw.permutation(len(whole)))
    table.look(floaters, np.arange(len(floaters)))
    middle = floaters.positions.mean(axis=0)
    for _ in range(8):
        off = np.abs(floaters.positions - middle).max(axis=1)
        dead: Bools = np.zeros(len(floaters), dtype=np.bool_)
        dead[draw.choice(np.flatnonzero(off > 1.1), 2, replace=False)] = True
        table.without(dead)
        floaters = floaters.take(filled_gaps(dead))
        inner = np.flatnonzero(np.abs(floaters.positions - middle).max(axis=1) < 0.6)
        table.look(floaters, inner)
        energy, velocity = errors(table, floaters, inner)
        assert energy < 0.03
        assert velocity < 0.08


def test_pairs_of_some_are_each_there_once() -> None:
    floaters, table = sheet(), NeighbourTable()
    table.look(floaters, np.arange(len(floaters)))
    some = np.zeros(len(floaters), dtype=np.bool_)
    some[[100, 101, 140]] = True
    first, second = table.pairs(some)
    found = set(zip(first.tolist(), second.tolist(), strict=True))
    assert len(found) == len(first)
    assert all(one < other and (some[one] or some[other]) for one, other in found)
    for row in np.flatnonzero(some):
        apart = np.linalg.norm(floaters.positions - floaters.positions[row], axis=1)
        for other in np.flatnonzero((apart > 0.0) & (apart < 2.8 * 0.1)):
            assert (min(row, other), max(row, other)) in found


def test_the_last_take_the_places_of_the_dead() -> None:
    dead = np.array([False, True, False, True, False, False, True])
    assert filled_gaps(dead).tolist() == [0, 4, 2, 5]
    assert filled_gaps(np.zeros(3, dtype=np.bool_)).tolist() == [0, 1, 2]
    assert filled_gaps(np.ones(3, dtype=np.bool_)).tolist() == []
    row = np.arange(7.0)
    left = at(np.stack([row, row, row], axis=1), np.tile([0.0, 0.0, 1.0], (7, 1))).without(dead)
    assert left.positions[:, 0].tolist() == [0.0, 4.0, 2.0, 5.0]
    assert left.positions.flags.f_contiguous
    assert len(left.radii) == len(left.gradients) == len(left.desired) == len(left.ages) == 4
