"""Bilateral contacts are found again where they have slid to, and belong to the bodies that they name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from physplace_addon.core.contact.bilateral import BilateralContacts, of_pairs
from physplace_addon.core.contact.points.interface_points import FIXED, InterfacePoints, labelled
from physplace_addon.core.contact.system import ContactSystem, Reach
from tests.core.contact.body_pairs import body, everything_within, meet, pose


def on_a_slab(shift: float = 0.0) -> InterfacePoints:
    """The points of a cube's four lower corners on a slab, the cube shifted along x."""
    points = everything_within(meet("cube", "slab", at=(shift, 0.0, 0.5)), 0.01)
    return labelled(points.take((points.dim1 == 0) & (np.abs(points.gap) < 1e-9)), (0, FIXED))


def test_contacts_are_found_among_the_points_they_were_made_of() -> None:
    points = on_a_slab()
    chosen = np.array([0, len(points) - 1])
    contacts = BilateralContacts.of(points.take(chosen))
    assert set(points.index1[contacts.rows(points)]) == set(points.index1[chosen])


def test_a_contact_slides_with_its_corner_and_is_lost_with_it() -> None:
    contacts = BilateralContacts.of(on_a_slab().take(np.array([0])))
    slid = on_a_slab(0.7)
    rows = contacts.rows(slid)
    assert slid.index1[rows].tolist() == [on_a_slab().index1[0]]
    others = slid.take(slid.index1 != slid.index1[rows[0]])
    assert len(contacts.rows(others)) == 0
    assert len(contacts.followed(others)) == 0


def test_of_a_corner_at_two_walls_the_contact_with_the_same_normal_is_the_one() -> None:
    points = on_a_slab().take(np.array([0]))
    wall = replace(points, normal=np.array([[1.0, 0.0, 0.0]]))
    both = InterfacePoints.join([wall, points])
    assert BilateralContacts.of(points).rows(both).tolist() == [1]
    assert BilateralContacts.of(wall).rows(both).tolist() == [0]


def test_samples_of_contact_curves_are_no_contacts_of_their_own() -> None:
    points = on_a_slab()
    samples = replace(points, on_curve=np.ones(len(points), bool))
    assert len(BilateralContacts.of(points).rows(samples)) == 0


def test_a_contact_toggled_twice_is_as_before() -> None:
    points = on_a_slab()
    contacts = BilateralContacts.none().toggled(points, 0)
    assert contacts.rows(points).tolist() == [int(np.flatnonzero(points.index1 == points.index1[0])[0])]
    assert len(contacts.toggled(points, int(contacts.rows(points)[0]))) == 0


def test_added_contacts_occur_once() -> None:
    points = on_a_slab()
    first = BilateralContacts.none().with_all(points.take(np.array([0])))
    again = first.with_all(points.take(first.rows(points)))
    assert len(again) == len(first) == 1


def test_points_belong_to_the_part_of_the_world_that_they_lie_on() -> None:
    world = [body("slab"), body("cube").transformed(pose(at=(6.0, 0.0, 0.5)).matrix4)]
    system = ContactSystem.of(
        [body("cube"), body("small ball")], [pose(at=(0.0, 0.0, 0.5)), pose(at=(6.0, 0.0, 1.3))], world
    )
    points = system.generate(Reach(0.02, 0.02, 0.02), InterfacePoints.none(), None)
    assert set(points.body1.tolist()) == {0, 1}
    on_slab, on_cube = of_pairs(points, [(0, 2)], 2, world), of_pairs(points, [(3, 1)], 2, world)
    assert (on_slab == (points.body1 == 0)).all()
    assert (on_cube == (points.body1 == 1)).all()
    assert not of_pairs(points, [(0, 3), (1, 2), (0, 1)], 2, world).any()
