"""Seeds inside of components that proven ranges tell from all others."""

import numpy as np

from physplace_addon.core.implicit import FormulaFunction, HalfSpaces, Spheres, intersection, union
from physplace_addon.core.implicit.functions.range_seeding import seeds_by_ranges


def test_each_of_three_balls_far_apart_has_a_seed_inside() -> None:
    centres = np.array([[0.0, 0.0, 0.0], [4.0, 1.0, 2.0], [-3.0, 2.0, 1.0]])
    radii = np.array([1.0, 0.05, 0.3])
    function = union([Spheres.of(centre, radius) for centre, radius in zip(centres, radii, strict=True)])
    seeds = seeds_by_ranges(function)
    inside = np.linalg.norm(seeds[:, None] - centres, axis=2) < radii
    assert inside[:, 1:].any(axis=0).all()
    assert inside.any(axis=1).all()


def test_a_formula_of_two_balls_has_a_seed_in_the_small_one() -> None:
    text = "(x^2 + y^2 + z^2 - 1) * ((x - 4)^2 + (y - 1)^2 + (z - 2)^2 - 0.0025)"
    seeds = seeds_by_ranges(FormulaFunction.read(text))
    assert (np.linalg.norm(seeds - [4.0, 1.0, 2.0], axis=1) < 0.05).any()


def test_what_is_not_there_or_infinite_has_no_seeds() -> None:
    apart = intersection([Spheres.of([[x, 0.0, 0.0]], 1.0) for x in (0.0, 3.0)])
    plane = HalfSpaces.of([0.0, 0.0, 1.0], [0.0, 0.0, 0.0])
    for function in (apart, plane):
        assert seeds_by_ranges(function).shape == (0, 3)
