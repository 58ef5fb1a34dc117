"""A sharp union taken apart into functions without creases between them."""

import numpy as np

from physplace_addon.core.implicit import Scaled, Spheres, blobby_spheres, complement, intersection, union
from physplace_addon.core.implicit.functions.union_components import components_of_union


def test_a_sharp_union_is_taken_apart_as_deep_as_it_goes_and_each_part_is_there_once() -> None:
    two = Spheres.of([[0, 0, 0], [1, 0, 0]], [1.0, 0.5])
    blob = blobby_spheres(0.5, [[2, 0, 0]], [1.0])
    function = union([Scaled(union([two, blob]), 2.0), blob])
    parts = components_of_union(function)
    assert len(parts) == 3
    x = np.random.default_rng(0).uniform(-2, 4, (500, 3))
    inside = np.min([part.value(x) for part in parts], axis=0) < 0
    assert np.array_equal(inside, function.value(x) < 0)


def test_what_is_no_sharp_union_is_left_as_it_is() -> None:
    one, two = (blobby_spheres(0.5, [[x, 0, 0]], [1.0]) for x in (0, 1))
    for function in (one, intersection([one, two]), union([one, two], 0.1), complement(union([one, two]))):
        assert components_of_union(function) == (function,)
