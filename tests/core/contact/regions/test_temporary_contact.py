import numpy as np
import pytest
from numpy.typing import ArrayLike

from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.regions.contact_regions import ContactRegions
from physplace_addon.core.contact.regions.region_analysis import contact_regions
from physplace_addon.core.contact.regions.temporary_contact import ContactState, TemporaryContacts, judged
from tests.core.contact.regions.test_region_analysis import Mesh, blocks, cuboid, mesh_of, pair_of, pose

TOLERANCE, DRIFT = 1e-7, 1e-4
TABLE = cuboid((0, 0, -1), (8, 8, 0))
HOLDS, BROKEN, COLLIDES = (int(state) for state in ContactState)


def judged_at(body_pair: BodyPair, temporary: ContactRegions, move: ArrayLike) -> TemporaryContacts:
    """What becomes of temporary contacts when the first body has moved."""
    moved = body_pair.at(body_pair.pose.displaced(move, np.zeros(3), np.zeros(3)))
    return judged(moved, temporary, TOLERANCE, DRIFT)


def in_touch(first: Mesh, second: Mesh) -> tuple[BodyPair, ContactRegions]:
    body_pair = pair_of(first, second, pose())
    return body_pair, contact_regions(body_pair, TOLERANCE)


@pytest.mark.parametrize("depth", [0.0, 0.1 * DRIFT, 0.9 * DRIFT])
def test_a_box_that_drifts_into_a_table_is_in_temporary_contact(depth: float) -> None:
    body_pair, temporary = in_touch(cuboid((3, 3, 0), (4, 4, 1)), TABLE)
    found = judged_at(body_pair, temporary, (0.3, -0.2, -depth))
    assert found.state.tolist() == [HOLDS]
    assert found.holds.all()
    assert np.allclose(found.regions.gaps, -depth, rtol=0.0, atol=1e-12)
    assert not found.penetrations.collides.any()
    # The four edges of its base, and the beginnings of the four upright ones.
    assert len(found.penetrations) == (0 if depth <= TOLERANCE else 8)
    assert (found.penetrations.body == 1).all()


def test_a_box_that_goes_deeper_than_the_drift_collides() -> None:
    body_pair, temporary = in_touch(cuboid((3, 3, 0), (4, 4, 1)), TABLE)
    found = judged_at(body_pair, temporary, (0.0, 0.0, -3.0 * DRIFT))
    assert found.state.tolist() == [COLLIDES]
    assert found.penetrations.collides.all()


def test_a_box_that_slides_off_breaks_its_contact_though_it_was_dug_in() -> None:
    body_pair, temporary = in_touch(cuboid((3, 3, 0), (4, 4, 1)), TABLE)
    half = judged_at(body_pair, temporary, (4.5, 0.0, -0.5 * DRIFT))
    assert half.state.tolist() == [HOLDS]
    assert sorted(half.holds.tolist()) == [False, False, True, True]
    assert not half.penetrations.collides.any()
    gone = judged_at(body_pair, temporary, (5.5, 0.0, -0.5 * DRIFT))
    assert gone.state.tolist() == [BROKEN]
    assert len(gone.penetrations) == 0
    lifted = judged_at(body_pair, temporary, (0.0, 0.0, 2.0 * DRIFT))
    assert lifted.state.tolist() == [BROKEN]


@pytest.mark.parametrize("depth", [0.5 * DRIFT, 20.0 * DRIFT])
def test_a_foot_that_slides_into_a_step_collides(depth: float) -> None:
    """Figure 6: a new entity is met, at any depth, while the contact is dug in."""
    floor = mesh_of(blocks([(x, 0) for x in range(5)] + [(4, 1)]))
    body_pair, temporary = in_touch(cuboid((1.0, 1.0, 0.25), (2.0, 1.5, 0.75)), floor)
    near = judged_at(body_pair, temporary, (1.5, -0.5 * DRIFT, 0.0))
    assert near.state.tolist() == [HOLDS]
    assert not near.penetrations.collides.any()
    met = judged_at(body_pair, temporary, (2.0 + depth, -0.5 * DRIFT, 0.0))
    assert met.state.tolist() == [COLLIDES]
    assert met.penetrations.collides.any()


CORNER = mesh_of(blocks([(0, 0), (1, 0), (0, 1)]))
IN_CORNER = cuboid((1.0, 1.0, 0.25), (1.5, 1.5, 0.75))
DUG = np.array([-0.5 * DRIFT, -0.6 * DRIFT, 0.0])


@pytest.mark.parametrize("convex", [False, True])
def test_adjacent_regions_are_judged_together(convex: bool) -> None:
    """Figure 11: a box in a corner, or a corner around a box, dug in both ways."""
    first, second = (CORNER, IN_CORNER) if convex else (IN_CORNER, CORNER)
    body_pair, temporary = in_touch(first, second)
    assert temporary.kinds() == ["face/face", "face/face"]
    move = -DUG if convex else DUG
    both = judged_at(body_pair, temporary, move)
    assert both.state.tolist() == [HOLDS, HOLDS]
    assert len(both.penetrations) > 0
    assert not both.penetrations.collides.any()
    for alone in (0, 1):
        single = judged_at(body_pair, temporary.take(np.array([alone])), move)
        assert single.penetrations.collides.any()


def test_no_temporary_contacts_leave_only_collisions() -> None:
    body_pair, _ = in_touch(cuboid((3, 3, 0), (4, 4, 1)), TABLE)
    found = judged_at(body_pair, ContactRegions.none(), (0.0, 0.0, -0.5 * DRIFT))
    assert len(found.state) == 0
    assert len(found.penetrations) == 8
    assert found.penetrations.collides.all()
