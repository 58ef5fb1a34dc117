"""The oracle of Bezier patches against shapes with known distances and supports, and the heap of balls."""

from collections.abc import Sequence

import numpy as np
import pytest

from tests.bodies_of_the_paper import BOWL, turned
from tests.heap_of_balls import heap
from tests.oracles.arrays import Floats
from tests.oracles.frames import sphere_directions
from tests.oracles.overlap import separation
from tests.oracles.patches import Patches
from tests.oracles.rests import is_local_minimum, nearest_rest
from tests.oracles.shapes import Revolution
from tests.teapot import pot_nets, turned_nets


def square(corner: Sequence[int], along: Sequence[int], across: Sequence[int]) -> Floats:
    t = np.arange(4) / 3
    start, first, second = (np.asarray(x, float) for x in (corner, along, across))
    result: Floats = start + t[:, None, None] * first + t[None, :, None] * second
    return result


def test_a_square_is_as_far_as_it_is_and_has_the_sign_of_its_side(rng: np.random.Generator) -> None:
    shape = Patches([square([0, 0, 0], [2, 0, 0], [0, 2, 0])])
    x = rng.uniform(-0.1, 2.1, (300, 3)) * [1, 1, 0.05]
    off = np.maximum(np.maximum(-x[:, :2], x[:, :2] - 2), 0)
    expected = np.sign(x[:, 2]) * np.sqrt(np.sum(off**2, axis=1) + x[:, 2] ** 2)
    np.testing.assert_allclose(shape.signed_distance(x), expected, atol=1e-14)


def test_the_support_of_a_square_is_a_corner() -> None:
    shape = Patches([square([0, 0, 0], [2, 0, 0], [0, 2, 0])])
    d = sphere_directions(40)
    corners = np.array([[a, b, 0] for a in (-1, 1) for b in (-1, 1)], float)
    np.testing.assert_allclose(shape.support(d), np.max(d @ corners.T, axis=1), atol=1e-12)


def test_distances_are_right_along_the_normals_of_a_curved_surface(rng: np.random.Generator) -> None:
    nets = turned_nets((((0.0, -0.5), (0.6, -0.5), (1.0, -0.3), (1.0, 0.1)),))
    shape = Patches(nets)
    patch, uv = rng.integers(0, 4, 200), rng.uniform(0.02, 0.98, (200, 2))
    x = shape.at(patch, uv)
    normal = np.cross(shape.at(patch, uv, (1, 0)), shape.at(patch, uv, (0, 1)))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    for far in (1e-9, 1e-3, 0.1, -1e-9, -1e-3, -0.1):
        np.testing.assert_allclose(shape.signed_distance(x + far * normal), far, rtol=0, atol=1e-13)


@pytest.mark.slow
def test_the_pot_rests_on_its_nearly_flat_foot_below_its_centre_of_mass() -> None:
    shape = Patches(pot_nets())
    rest = nearest_rest(shape, np.array([0.1, 0.2, -1.0]))
    assert is_local_minimum(shape, rest)
    assert 0.001 < rest.down[0] < 0.002
    assert rest.down[1] == pytest.approx(0.0, abs=1e-9)


def test_balls_of_the_heap_touch_but_do_not_overlap_and_each_is_held_from_below() -> None:
    radius, count = 0.33, 14
    centres = heap(tuple(tuple(p) for p in BOWL[3].tolist()), radius, count)
    bowl = turned("bowl", BOWL).shape
    assert isinstance(bowl, Revolution)
    to_bowl = bowl.signed_distance(centres) - radius
    assert to_bowl.min() > -1e-9
    for number in range(count):
        apart = np.linalg.norm(centres[:number] - centres[number], axis=1) - 2 * radius
        assert apart.min(initial=0.0) > -1e-9
        props = centres[:number][apart < 1e-7]
        assert len(props) + (to_bowl[number] < 1e-7) >= 1
        assert np.all(props[:, 2] < centres[number, 2] + 1.2 * radius)


def test_a_lid_high_above_a_pot_is_as_far_as_their_nearest_points() -> None:
    pot, lid = Patches(pot_nets()), Patches([square([-1, -1, 4], [2, 0, 0], [0, 2, 0])])
    top = 2.4984375
    far = separation(lid, np.eye(3), np.zeros(3), pot)
    assert far == pytest.approx(4 - top, abs=0.02)
