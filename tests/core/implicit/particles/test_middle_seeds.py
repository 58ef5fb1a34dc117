"""Small components that boxes are too coarse for are found from the middles of elements."""

import numpy as np

from physplace_addon.core.implicit import FloaterSettings, Spheres, blobby_spheres, union
from physplace_addon.core.implicit.functions.mirrored import Mirrored
from physplace_addon.core.implicit.particles.component_seeding import ComponentSeeding
from physplace_addon.core.implicit.particles.floaters import Floaters
from physplace_addon.core.implicit.particles.middle_seeds import seeds_about_middles
from physplace_addon.core.implicit.projection import projected

R = 0.15
BALL = [[0.0, 0.0, R], [0.0, 0.0, -R]]  # two floaters on the first ball
# centre and radius of spheres of a blob that wild drags have made
WIDE = [
    [2.2, -0.7, -1.54, 0.01], [2.32, 4.76, 2.91, 2.26], [-1.44, 3.86, -5.77, 2.24],
    [2.07, -1.39, -1.1, 0.14], [1.81, -0.42, -4.94, 2.97], [0.17, -0.93, 0.11, 0.13],
    [-0.58, 3.44, -1.67, 1.73], [-5.49, -2.28, -5.28, 4.83], [-6.3, 5.77, 2.68, 6.32],
    [-0.81, -1.6, 2.56, 0.12], [0.0, -1.68, 1.6, 0.2], [2.67, 5.2, -5.57, 2.05],
    [2.67, -3.1, 4.08, 7.8], [-0.76, -0.2, -0.99, 0.13], [-3.49, 5.78, 8.31, 1.83],
]  # fmt: skip
SMALL = [[-1.14, 1.35, 0.76, 0.1], [-0.32, 0.35, 0.93, 0.07], [0.33, 0.31, -0.53, 0.1]]


def test_a_middle_that_sees_no_floater_gives_one_seed() -> None:
    balls = blobby_spheres(0.5, [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]], [0.2, 0.05])
    seeds = seeds_about_middles(balls, np.array(BALL), R, 4.0)
    assert len(seeds) == 1
    assert np.linalg.norm(seeds[0] - [3.0, 0.0, 0.0]) < 0.05


def test_a_floater_near_by_on_another_component_covers_nothing() -> None:
    apart = Spheres.of([[0.0, 0.0, 0.0], [0.25, 0.0, 0.0]], [0.15, 0.05])
    touched = union([apart, Spheres.of([[0.2, 0.0, 0.0]], [0.1])])
    floaters = np.array([[0.15, 0.0, 0.0], [-0.15, 0.0, 0.0]])
    assert len(seeds_about_middles(apart, floaters, R, 0.5)) == 1
    assert not len(seeds_about_middles(touched, floaters, R, 0.5))


def test_a_mirror_image_is_looked_at_too() -> None:
    half = Mirrored(Spheres.of([[1.0, 0.0, 0.0]], [0.05]))
    seeds = seeds_about_middles(half, np.array([[1.05, 0.0, 0.0]]), R, 2.0)
    assert np.allclose(seeds[:, 0], -1.0, atol=0.06)
    assert len(seeds) == 1


def test_parts_between_wide_elements_have_floaters_after_a_quick_look() -> None:
    """Where wide Gaussians nearly add up to the bias, all boxes of a quick look are undecided."""
    rows = np.array(WIDE + SMALL)
    blob = blobby_spheres(0.876, rows[:, :3], rows[:, 3])
    seeding = ComponentSeeding(FloaterSettings(0.4))
    floaters = Floaters.at(projected(blob, np.array([[2.32, 4.76, 2.91]]) + 2.0, 0.4, 30), 0.4)
    for _ in range(24):
        floaters = seeding.filled(blob, floaters)
    for *place, radius in SMALL:
        assert np.linalg.norm(floaters.positions - place, axis=1).min() < 2.5 * radius
