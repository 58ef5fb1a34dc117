"""All components of a surface are found, no two of them are one, and what is proven is true."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Bools, Floats
from physplace_addon.core.implicit import (
    Ellipsoids,
    FormulaFunction,
    HalfSpaces,
    Scaled,
    Spheres,
    blobby_cylinders,
    blobby_spheres,
    complement,
    difference,
    union,
)
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.projection import projected
from physplace_addon.core.implicit.surface_components import descent
from physplace_addon.core.implicit.surface_components.component_search import components_of
from physplace_addon.core.implicit.surface_components.descent import flowed
from physplace_addon.core.implicit.surface_components.rising_directions import rising_directions
from physplace_addon.core.implicit.surface_components.subdivision import BoxClass, SearchLimits, subdivided
from physplace_addon.core.rigid import rotation_matrix
from physplace_addon.core.vectors import length_and_unit
from tests.core.implicit.functions.every_function import NAMES, every_function
from tests.core.implicit.random_parts import drawn, groups_of, random_scene
from tests.core.implicit.surfaces import blob_of_genus, fourteen_spheres, torus
from tests.oracles.grid_surface import Grid

BALL = Spheres.of([0.0, 0.0, 0.0], 1.0)
SHELL = difference(BALL, [Spheres.of([0.0, 0.0, 0.1], 0.6)])
KNOWN: dict[str, tuple[ImplicitFunction, int]] = {
    "a ball": (BALL, 1),
    "fourteen blobs in one lump": (fourteen_spheres(), 1),
    "three rings": (blob_of_genus(3), 1),
    "a flat ellipsoid": (Ellipsoids.of([0, 0, 0], [1.0, 0.9, 0.04]), 1),
    "a disc as thin as paper": (Ellipsoids.of([0, 0, 0], [1.0, 0.9, 1e-5]), 1),
    "a wire": (blobby_cylinders(0.5, [[0, 0, 0]], [[1.0, 0.3, 0.2]], 0.02), 1),
    "two balls .01 apart": (Spheres.of([[0.0, 0.0, 0.0], [2.01, 0.0, 0.0]], [1.0, 1.0]), 2),
    "two balls .005 apart, askew": (Spheres.of([[0.0, 0.0, 0.0], [1.985, 0.2, 0.2]], [1.0, 1.0]), 2),
    "two balls grown into each other": (Spheres.of([[0.0, 0.0, 0.0], [1.2, 0.3, 0.1]], [1.0, 1.0]), 1),
    "a hollow ball": (SHELL, 2),
    "a ball in a hollow ball": (union([SHELL, Spheres.of([0.0, 0.1, 0.1], 0.3)]), 3),
    "eleven blobs": (
        blobby_spheres(0.5, [[float(x), 0.0, 0.0] for x in (0, *range(2, 12))], [0.6] + 10 * [0.1]),
        11,
    ),
    "a speck between balls": (
        blobby_spheres(0.5, [[0.0, 0.0, 0.0], [4.1, 0.0, 0.0], [9.0, 0.0, 0.0]], [0.6, 0.02, 0.6]),
        3,
    ),
    "linked rings": (
        union(
            [
                Scaled(torus(), 0.5),
                FormulaFunction.read("(sqrt((x - 1)^2 + z^2) - R)^2 + y^2 - r^2", {"R": 1.0, "r": 0.3}),
            ]
        ),
        2,
    ),
    "the outside of two balls": (complement(Spheres.of([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]], [1.0, 1.0])), 2),
    "nothing": (blobby_spheres(5.0, [[0, 0, 0]], 0.6), 0),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_number_of_components_is_proven(name: str) -> None:
    function, count = KNOWN[name]
    found = components_of(function)
    assert found.proven
    assert len(found) == len(found.seeds) == count
    value, gradient = function.gradient(found.seeds)
    size = max(float(np.ptp(function.box(), axis=0).max()), 0.0)
    assert (np.abs(value) <= 1e-4 * size * np.linalg.norm(gradient, axis=1)).all()
    assert found.numbers_of(found.seeds).tolist() == list(range(count))


@pytest.mark.parametrize("seed", [5, 6, 7, 11])
def test_random_sums_have_as_many_components_as_a_fine_grid_counts(seed: int) -> None:
    function, _ = random_scene(seed)
    found = components_of(function)
    assert found.proven
    low, high = function.box()
    assert len(found) == Grid(function.value, low, high, 64).components


def test_a_surface_that_hangs_together_by_a_saddle_is_one_and_few_boxes_prove_it() -> None:
    """Two cylinders nearly face each other in the blend; a search that ends early finds one, too."""
    function, _ = random_scene(4)
    found, less = components_of(function, SearchLimits(4_000)), components_of(function, SearchLimits(2_000))
    assert (found.proven, less.proven) == (True, False)
    low, high = function.box()
    assert len(found) == len(less) == Grid(function.value, low, high, 192).components == 1


@pytest.mark.parametrize("apart", [1.998, 1.99998])
@pytest.mark.parametrize("way", [[1.0, 0.0, 0.0], [0.6, 0.64, 0.48]])
def test_a_narrow_waist_is_proven_to_be_one_component_by_few_boxes(apart: float, way: list[float]) -> None:
    waist = union([BALL, Spheres.of(apart * np.array(way), 1.0)])
    found = components_of(waist, SearchLimits(3_000))
    assert (len(found), found.proven) == (1, True)


def test_balls_that_nearly_touch_are_not_linked_where_the_search_ends_early() -> None:
    balls = Spheres.of([[0.0, 0.0, 0.0], [2.005, 0.0, 0.0]], [1.0, 1.0])
    for most in (500, 2_000, 8_000, 20_000):
        assert len(components_of(balls, SearchLimits(most=most))) >= 2


@pytest.mark.parametrize("name", NAMES)
def test_boxes_are_what_they_are_proven_to_be(name: str, rng: np.random.Generator) -> None:
    function = every_function()[name]
    box = function.box()
    box = box if np.isfinite(box).all() else np.array([[-1.5] * 3, [1.5] * 3])
    boxes = subdivided(function, box, SearchLimits(20_000))
    tree, own = boxes.tree, rng.integers(len(boxes.kind), size=2000)
    places = tree.middles[own] + tree.sides[own, None] * rng.uniform(-0.5, 0.5, (2000, 3))
    value, gradient = function.gradient(places)
    assert np.array_equal(tree.box_at(places), own)
    assert (value[boxes.kind[own] == BoxClass.INSIDE] < 0.0).all()
    assert (value[boxes.kind[own] == BoxClass.OUTSIDE] > 0.0).all()
    rising = np.einsum("ni,ni->n", gradient, boxes.direction[own])
    graph = (boxes.kind[own] == BoxClass.GRAPH) & (value <= 0.0)
    assert (rising[graph] > 0.0).all()
    assert np.isclose((tree.sides**3).sum(), tree.size**3, rtol=1e-12)


def test_euler_characteristics_tell_balls_from_each_other_that_no_boxes_part() -> None:
    middles = np.array([[0.0, 0.0, 0.0], [1.985, 0.2, 0.2]])  # .005 apart
    found = components_of(Spheres.of(middles, [1.0, 1.0]))
    assert found.proven
    assert len(found) == 2
    assert found.boxes.examined < 3000
    assert found.inside.apart[found.inside.group >= 0].max() == 0
    ways = np.random.default_rng(4).normal(size=(400, 3)) * 0.1 + [0.99, 0.1, 0.1]
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    numbers = [found.numbers_of(middles[0] + ways), found.numbers_of(middles[1] - ways)]
    assert sorted(np.unique(own).tolist() for own in numbers) == [[0], [1]]
    first = int(numbers[0][0])
    assert found.within(first, middles[0] + 0.999 * ways).all()
    assert not found.within(first, middles[0] + 1.001 * ways).any()
    assert not found.within(first, middles[1] - 0.999 * ways).any()


def test_a_random_sum_of_nearly_touching_parts_is_proven_by_few_boxes() -> None:
    found = components_of(random_scene(15)[0], SearchLimits(20_000))
    assert found.proven
    assert len(found) == 4


@pytest.mark.parametrize(
    ("way", "gap", "blend"), [([1.7, 1.0, 0.0], 1e-5, 0.0), ([1.5, 0.7, 0.7], 3e-5, 7.5e-6)]
)
def test_a_gap_hardly_wider_than_the_smallest_boxes_is_open_to_all_sides(
    way: list[float], gap: float, blend: float
) -> None:
    """Boxes outside are islands in the gap; from the highest of each the way leads up and out of it."""
    other = Spheres.of(way, float(np.linalg.norm(way)) - 1.0 - gap)
    found = components_of(union([BALL, other], blend), SearchLimits(10_000))
    assert (len(found), found.proven) == (2, True)


def test_directions_are_of_unit_length_where_the_squares_of_slopes_are_0() -> None:
    wire = Scaled(blobby_cylinders(0.5, [[-1, 0, 0]], [[1, 0, 0]], 0.02), 0.01)
    function = union([wire, Spheres.of([0.0, 0.5, 0.0], 0.3)], 0.005)
    places = np.linspace([0.01, -0.2, 0.003], [0.01, -0.54, 0.003], 2000)
    found, proven = rising_directions(function, places - 0.025, np.full(2000, 0.05))
    assert proven.sum() > 1000
    assert np.allclose(np.linalg.norm(found[proven], axis=1), 1.0, rtol=0, atol=1e-12)


def test_f_rises_over_boxes_that_a_crease_passes_beside(rng: np.random.Generator) -> None:
    """By ranges the other side could be in such a box, but all of its corners are on one."""
    balls = Spheres.of([[0.0, 0.0, 0.0], [1.8, 0.0, 0.0]], [1.0, 1.0])
    angle, side = rng.uniform(0.0, 2.0 * np.pi, 300), 1e-3
    ring = np.stack([np.zeros(300), np.cos(angle), np.sin(angle)], axis=1)
    places = [0.9, 0.0, 0.0] + np.sqrt(1.0 - 0.9**2) * ring
    places[:, 0] -= side * rng.uniform(0.5, 0.9, 300)
    assert rising_directions(balls, places - 0.5 * side, np.full(300, side))[1].all()


def test_a_crease_beside_the_smallest_boxes_leaves_none_of_them_undecided() -> None:
    """Two of 20,360 boxes were left, between a ball and a thin cylinder in it."""
    found = components_of(random_scene(7005)[0])
    assert (len(found), found.proven, len(found.undecided)) == (2, True, 0)


def test_a_search_whose_last_refinement_leaves_groups_unparted_says_how_many_it_found() -> None:
    """An ellipsoid of scene 48 was dragged, and a search of 8,000 boxes had no refinement left."""
    function, _ = random_scene(48)
    parameters = function.parameters
    parameters[18:26] = [0.434, 0.108, 0.252, -0.438, -0.891, 0.891, 0.505, 0.222]
    dragged = function.with_parameters(parameters)
    found, whole = components_of(dragged, SearchLimits(8_000, margin=0.1371)), components_of(dragged)
    assert (found.proven, whole.proven) == (False, True)
    assert len(found) == len(whole)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [48, 366])
def test_random_sharp_sums_whose_parts_nearly_touch_are_proven(seed: int) -> None:
    """Gaps and overlaps of 1e-4, which take up to 68,000 boxes; a grid would need 10,000 cells a side."""
    found = components_of(random_scene(seed)[0])
    assert found.proven
    assert len(found) == groups_of(drawn(seed)[1])


@pytest.mark.slow
def test_places_beside_a_narrow_gap_are_on_the_component_that_flows_lead_to(rng: np.random.Generator) -> None:
    """Boxes led down to one region by their middles, while flows from places in them went to the other."""
    function, _ = random_scene(34)
    found = components_of(function)
    assert found.proven
    places = projected(function, [-0.393, -0.075, 0.0] + 0.008 * rng.normal(size=(300, 3)), 0.01)
    number = found.numbers_of(places)
    inner = places - 1e-6 * length_and_unit(function.gradient(places)[1])[1]
    box = flowed(function, found.boxes, inner, BoxClass.INSIDE).box
    assert np.array_equal(found.pairs[number, 0], found.inside.group[box])
    assert len(np.unique(number)) == 2


@pytest.mark.parametrize("seed", [2, 8])
def test_places_belong_to_the_components_that_flows_lead_to(seed: int, rng: np.random.Generator) -> None:
    """Where all is proven regions are looked up; flows, followed where it is not, end in the same."""
    function, _ = random_scene(seed)
    found = components_of(function)
    assert found.proven
    low, high = function.box()
    places = rng.uniform(low - 0.1, high + 0.1, (1500, 3))
    places = np.concatenate([places, projected(function, places, 0.2) + 0.01 * rng.normal(size=(1500, 3))])
    inside = function.value(places) < 0.0
    enclosed = np.stack([found.within(own, places) for own in range(len(found))])
    assert np.array_equal(enclosed.any(axis=0), inside)
    assert (enclosed.sum(axis=0) <= 1).all()
    box = flowed(function, found.boxes, places[inside], BoxClass.INSIDE).box
    arrived = found.boxes.kind[box] == BoxClass.INSIDE
    assert arrived.mean() > 0.9
    own = enclosed[:, inside][:, arrived].argmax(axis=0)
    assert np.array_equal(found.inside.group[box[arrived]], found.pairs[own, 0])


def test_flows_go_on_along_sides_of_boxes_that_lead_to_each_other(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    """So few places need a direction of their own, which takes most of the time."""
    disc = Ellipsoids.of([0.0, 0.0, 0.0], [0.7, 0.6, 0.05], [rotation_matrix([0.3, 0.2, 0.1])])
    other = Ellipsoids.of([0.1, 0.05, 0.15], [0.6, 0.5, 0.04], [rotation_matrix([0.32, 0.2, 0.1])])
    found = components_of(union([disc, other]))
    assert found.proven
    assert len(found) == 2
    asked = []

    def counted(function: ImplicitFunction, low: Floats, sides: Floats) -> tuple[Floats, Bools]:
        asked.append(len(low))
        return rising_directions(function, low, sides)

    monkeypatch.setattr(descent, "rising_directions", counted)
    places = projected(disc, 0.6 * rng.normal(size=(1500, 3)), 0.3, 30)
    places = places[(disc.value(places) < 1e-9) & (other.value(places) > 1e-3)]
    first = found.numbers_of(places)
    assert len(np.unique(first)) == 1
    assert first[0] >= 0
    assert sum(asked) < 600


def test_boxes_that_touch_are_all_found(rng: np.random.Generator) -> None:
    function = Spheres.of(rng.uniform(-1.0, 1.0, (3, 3)), [0.5, 0.4, 0.05])
    tree = subdivided(function, function.box(), SearchLimits(3000)).tree
    gap = np.abs(tree.middles[:, None] - tree.middles).max(axis=2)
    expected = gap <= 0.5 * (tree.sides[:, None] + tree.sides) * (1.0 + 1e-9)
    found = np.zeros_like(expected)
    first, second = tree.touching
    found[first, second] = found[second, first] = True
    np.fill_diagonal(expected, False)
    assert np.array_equal(found, expected)


def test_a_search_that_ends_early_says_that_nothing_is_proven() -> None:
    found = components_of(Spheres.of([[0.0, 0.0, 0.0], [2.01, 0.0, 0.0]], [1.0, 1.0]), SearchLimits(most=500))
    assert not found.proven
    assert len(found.undecided)


def test_boxes_that_are_known_are_halved_on_within_wider_limits() -> None:
    """All of those that are undecided are of one size, and in the wall."""
    shell = difference(BALL, [Spheres.of([0.0, 0.0, 0.0], 0.8)])
    few, many = SearchLimits(2_000), SearchLimits(20_000)
    boxes = subdivided(shell, shell.box(), few)
    assert boxes.which(BoxClass.UNDECIDED).any()
    assert not components_of(shell, few, boxes=boxes).proven
    found, anew = components_of(shell, many, boxes=boxes), components_of(shell, many)
    assert (len(found), found.proven) == (2, True)
    assert np.array_equal(found.boxes.tree.numbers, anew.boxes.tree.numbers)
    assert np.array_equal(found.boxes.kind, anew.boxes.kind)


def test_of_an_infinite_surface_what_is_in_the_bounds_is_found_but_not_proven_to_be_all() -> None:
    floors = union([HalfSpaces.of([[0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0]]), Spheres.of([0.0, 0.0, 3.0], 1.0)])
    found = components_of(floors, bounds=np.array([[-2.0, -2.0, -2.0], [2.0, 2.0, 5.0]]))
    assert (np.abs(found.seeds[:, 2]) < 1e-3).any()
    assert (np.abs(np.linalg.norm(found.seeds - [0.0, 0.0, 3.0], axis=1) - 1.0) < 1e-3).any()
    assert not found.proven
