"""Connectivity: who can be reached over the surface, and who is joined through the inside."""

import numpy as np
from numpy.typing import ArrayLike

from physplace_addon.core.implicit import blobby_spheres
from physplace_addon.core.implicit.functions.gaussians.blob import Blob
from physplace_addon.core.implicit.particles.connectivity import joined_inside, reachable_over_surface
from physplace_addon.core.implicit.particles.floaters import Floaters
from physplace_addon.core.implicit.projection import projected

TWO = blobby_spheres(0.5, [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]], [0.8, 0.8])
DUMBBELL = blobby_spheres(0.5, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [0.8, 0.8])


def on(function: Blob, places: ArrayLike) -> Floaters:
    """Floaters on a surface, of radius 0.1."""
    at = Floaters.at(projected(function, np.array(places, dtype=float), 0.2, 20), 0.1)
    return Floaters(at.positions, at.radii, function.gradient(at.positions)[1], at.desired, at.ages)


def test_places_of_one_component_are_reached_and_those_of_another_are_not() -> None:
    starts = on(TWO, [[0.0, 0.6, 0.0], [0.0, 0.6, 0.0]])
    goals = on(TWO, [[0.5, -0.3, 0.3], [3.0, 0.6, 0.0]]).positions
    assert reachable_over_surface(TWO, starts, goals).tolist() == [True, False]


def test_a_waist_is_walked_over() -> None:
    starts, goals = on(DUMBBELL, [[-0.3, 0.5, 0.0]]), on(DUMBBELL, [[1.3, 0.5, 0.0]]).positions
    assert reachable_over_surface(DUMBBELL, starts, goals).all()


def test_centres_are_joined_inside_if_the_line_between_them_is() -> None:
    starts, ends = np.zeros((2, 3)), np.array([[1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    assert joined_inside(DUMBBELL, starts[:1], ends[:1]).all()
    assert joined_inside(TWO, starts, ends).tolist() == [False, False]
    assert joined_inside(TWO, starts[:1], np.array([[0.3, 0.0, 0.0]])).all()
