import numpy as np
import pytest

from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.points.interface_points import InterfacePoints
from physplace_addon.core.contact.regions.contact_regions import ContactRegions
from physplace_addon.core.contact.regions.point_regions import regions_of_pair, regions_of_points
from tests.core.contact.body_pairs import everything_within, meet

TOUCHING = 1e-6
UP = np.array([0.0, 0.0, 1.0])
SCENES = {
    "a ball": (meet("ball", "slab", at=(0.1, 0.2, 1.0)), 0),
    "a cone on its apex": (meet("cone", "slab", (np.pi, 0.0, 0.0), (0.3, 0.2, 1.0)), 0),
    "a cylinder on its side": (meet("cylinder", "slab", (np.pi / 2, 0.0, 0.0), (0.0, 0.0, 0.5)), 1),
    "a cylinder on its end": (meet("cylinder", "slab", at=(0.0, 0.0, 1.0)), 2),
    "a cube": (meet("cube", "slab", at=(0.0, 0.0, 0.5)), 2),
}


def touching(body_pair: BodyPair) -> InterfacePoints:
    points = everything_within(body_pair, 0.01 * body_pair.radius)
    return points.take(np.abs(points.gap) <= TOUCHING)


@pytest.mark.parametrize("name", list(SCENES))
def test_a_contact_of_any_kind_is_one_region_of_its_dimension(name: str) -> None:
    body_pair, dimension = SCENES[name]
    found = regions_of_pair(body_pair, touching(body_pair), TOUCHING)
    assert found.dimension.tolist() == [dimension]
    assert np.abs(found.normal[0] - UP).max() < 1e-6
    assert np.abs(found.gaps).max() <= TOUCHING
    assert len(found.points) == {0: 1, 1: 2}.get(dimension, len(found.points)) >= dimension + 1
    assert bool(found.rows.curved[0]) == (name != "a cube")


def test_a_cylinder_on_its_end_touches_with_the_hull_of_its_rim() -> None:
    body_pair, _ = SCENES["a cylinder on its end"]
    found, member = regions_of_points(touching(body_pair), body_pair.radius)
    assert (member == 0).all()
    assert np.allclose(np.hypot(*found.points.point1[:, :2].T), 0.5, atol=1e-9)
    angle = np.unwrap(np.arctan2(found.points.point1[:, 1], found.points.point1[:, 0]))
    assert (np.diff(angle) > 0.0).all()  # counterclockwise
    assert angle[-1] - angle[0] < 2.0 * np.pi


def test_two_contacts_are_two_regions() -> None:
    one, other = (touching(meet("ball", "slab", at=(x, 0.3, 1.0))) for x in (0.0, 1.0))
    other.normal[:] = [0.0, 0.6, 0.8]
    found, member = regions_of_points(InterfacePoints.join([one, other]), 1.0)
    assert len(found) == 2
    assert member.tolist() == [0] * len(one) + [1] * len(other)


def test_no_points_are_no_regions() -> None:
    found, member = regions_of_points(InterfacePoints.none(), 1.0)
    assert len(found) == len(found.points) == len(member) == 0
    assert len(ContactRegions.join([found, ContactRegions.none()])) == 0
