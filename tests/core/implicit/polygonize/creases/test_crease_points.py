"""Points on creases, and the corners in which these end."""

import numpy as np
import pytest

from physplace_addon.core.implicit import Boxes, HalfSpaces, complement, difference, intersection, union
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.functions.transformed import Moved
from physplace_addon.core.implicit.polygonize.creases.crease_points import corners_near

from ...functions.every_function import rotations

BOX = Boxes.of([0.0, 0.0, 0.0], [[0.5, 0.4, 0.45]])
END = np.array([0.0, 0.4, 0.0])


def wedge_between_planes(degrees: float) -> ImplicitFunction:
    """What is between two planes that meet along the y axis, at an angle."""
    tilt = np.radians(0.5 * degrees)
    ways = [[np.sin(tilt), 0.0, way * np.cos(tilt)] for way in (-1.0, 1.0)]
    return intersection([complement(HalfSpaces.of([way], [[0.0, 0.0, 0.0]], size=1.5)) for way in ways])


def fin(degrees: float) -> ImplicitFunction:
    """A box that a wedge stands out of, upwards."""
    high = Boxes.of([0.0, 0.8, 0.0], [[0.5, 0.5, 0.45]])
    return union([BOX, intersection([high, wedge_between_planes(degrees)])])


def is_corner(function: ImplicitFunction, seed: int, scale: float) -> bool:
    """Return whether a corner is found near `END`, where that is turned and scaled at random."""
    affine = np.eye(4)
    affine[:3, :3] = scale * rotations(np.random.default_rng(seed), 1)[0]
    place = affine[:3, :3] @ (END + np.array([0.002, -0.001, 0.0005]))
    corners, known = corners_near(Moved(function, affine), place[None], np.array([0.03 * scale]))
    assert not known[0] or np.linalg.norm(corners[0] - affine[:3, :3] @ END) < 1e-6 * scale
    return bool(known[0])


@pytest.mark.parametrize(("seed", "scale"), [(1, 1.0), (2, 0.01), (3, 100.0)])
@pytest.mark.parametrize("degrees", [3.0, 4.0])
def test_a_sharp_knife_ends_in_a_corner_and_a_notch_as_narrow_does_not(
    degrees: float, seed: int, scale: float
) -> None:
    """The notch is not followed, and links along its mouth would be much longer than it is wide."""
    between = wedge_between_planes(degrees)
    assert is_corner(intersection([BOX, between]), seed, scale)
    assert is_corner(fin(degrees), seed, scale)
    assert not is_corner(difference(BOX, [between]), seed, scale)


@pytest.mark.parametrize("degrees", [6.0, 20.0, 60.0])
def test_a_wider_notch_ends_in_a_corner(degrees: float) -> None:
    assert is_corner(difference(BOX, [wedge_between_planes(degrees)]), 1, 1.0)
