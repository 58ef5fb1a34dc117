"""A block that slides over four fingers, as in Figure 8 of Bouma and Vanecek 1991."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.regions.coherence import followed
from physplace_addon.core.contact.regions.contact_regions import UNLABELLED, ContactRegions
from physplace_addon.core.contact.regions.region_analysis import contact_regions
from tests.core.contact.regions.test_region_analysis import Mesh, cuboid, mesh_of, pair_of, pose, pyramid
from tests.core.contact.regions.touching_pairs import touching_pair
from tests.core.meshes import beside

TOLERANCE = 1e-9
STEP = 0.125
UP = np.array([0.0, 0.0, 1.0])
PLACES = ((0.0, -0.5), (3.0, 0.25), (6.0, 0.5), (9.0, 1.0))


def reversed_pyramid(x: float, y: float) -> Mesh:
    """A finger whose tip at (x, y, 0) points upwards."""
    points, triangles = pyramid((x, y, 0.0), (x, y, -2.0), 0.25)
    return points, triangles[:, ::-1]


def pointed_fingers() -> Mesh:
    return beside(*(reversed_pyramid(x, y) for x, y in PLACES))


def flat_fingers() -> Mesh:
    return beside(*(cuboid((x - 0.25, y - 0.75, -2.0), (x + 0.25, y + 0.25, 0.0)) for x, y in PLACES))


BLOCK = cuboid((-4.0, -1.0, 0.0), (4.0, 1.0, 1.0))


def after_impacts(velocity: Floats, normals: Floats) -> Floats:
    """The velocity after an elastic impact at each contact that it runs into, one after the other."""
    for normal in normals:
        approach = normal @ velocity
        if approach < 0.0:
            velocity = velocity - 2.0 * approach * normal
    return velocity


def slid(fingers: Mesh, coherent: bool, steps: int = 120) -> list[tuple[ContactRegions, Floats]]:
    """The regions and the velocity at each step of a block that slides over fingers."""
    start = pair_of(BLOCK, fingers, pose(at=(-0.5, 0.0, 0.0)))
    at, velocity = np.array([-0.5, 0.0, 0.0]), np.array([1.0, 0.0, 0.0])
    before, states = ContactRegions.none(), []
    for _ in range(steps):
        body_pair = start.at(pose(at=at))
        found = contact_regions(body_pair, TOLERANCE)
        if coherent:
            before = found = followed(body_pair, found, before, TOLERANCE)
        velocity = after_impacts(velocity, found.normal)
        states.append((found, velocity))
        at = at + STEP * velocity
    return states


@pytest.mark.parametrize("fingers", [pointed_fingers, flat_fingers])
def test_a_block_slides_over_four_fingers_with_one_normal_and_one_speed(fingers: Callable[[], Mesh]) -> None:
    states = slid(fingers(), coherent=True)
    kinds = {kind for found, _ in states for kind in found.kinds()}
    assert len(kinds) > 1  # it does come over borders
    for found, velocity in states:
        assert np.abs(found.normal - UP).max(initial=0.0) <= 1e-12
        assert np.abs(velocity - [1.0, 0.0, 0.0]).max() <= 1e-9


@pytest.mark.parametrize("fingers", [pointed_fingers, flat_fingers])
def test_without_coherence_the_block_is_thrown_off(fingers: Callable[[], Mesh]) -> None:
    states = slid(fingers(), coherent=False)
    assert max(np.abs(found.normal - UP).max(initial=0.0) for found, _ in states) > 0.1
    assert max(np.abs(velocity - [1.0, 0.0, 0.0]).max() for _, velocity in states) > 0.1


def test_labels_of_regions_and_points_last_as_long_as_their_contacts() -> None:
    states = [found for found, _ in slid(pointed_fingers(), coherent=True)]
    lives: dict[int, set[int]] = {}
    for step, found in enumerate(states):
        assert (found.rows.label != UNLABELLED).all()
        assert len(set(found.rows.label.tolist())) == len(found)
        assert len(set(found.points.label.tolist())) == len(found.points)
        for label, tip in zip(found.rows.label.tolist(), found.points.point2[:, 0].tolist(), strict=True):
            lives.setdefault(label, set()).add(step)
            assert tip in {x for x, _ in PLACES}
    assert len(lives) == len(PLACES)  # one contact for each finger, from the first border to the last
    assert all(len(steps) == max(steps) - min(steps) + 1 for steps in lives.values())


def corner_over(points: list[tuple[float, float]]) -> list[tuple[ContactRegions, BodyPair]]:
    """A slender peg on its tip, led over a table to points (x, y)."""
    peg, table = pyramid((0.0, 0.0, 0.0), (0.0, 0.0, 2.0), 0.5), cuboid((0, 0, -1), (4, 4, 0))
    start, before, states = pair_of(peg, table), ContactRegions.none(), []
    for x, y in points:
        body_pair = start.at(pose(at=(x, y, 0.0)))
        before = followed(body_pair, contact_regions(body_pair, TOLERANCE), before, TOLERANCE)
        states.append((before, body_pair))
    return states


def test_a_vertex_keeps_normal_and_labels_from_face_to_edge_to_vertex() -> None:
    states = [found for found, _ in corner_over([(2.0, 2.0), (4.0, 2.0), (4.0, 3.0), (4.0, 4.0)])]
    assert [found.kinds() for found in states] == [
        ["vertex/face"],
        ["vertex/edge"],
        ["vertex/edge"],
        ["vertex/vertex"],
    ]
    for found in states:
        assert np.abs(found.normal[0] - UP).max() <= 1e-12
        assert found.rows.label.tolist() == states[0].rows.label.tolist()
        assert found.points.label.tolist() == states[0].points.label.tolist()
    assert [bool(found.rows.temporary[0]) for found in states] == [False, True, True, True]


def test_a_contact_that_is_new_at_an_edge_has_the_normal_of_the_formulas() -> None:
    found, _ = corner_over([(4.0, 2.0)])[0]
    assert found.kinds() == ["vertex/edge"]
    assert abs(found.normal[0] @ UP - 1.0) > 0.01


def test_a_contact_that_was_lost_comes_back_as_a_new_one() -> None:
    first, nothing, again = (found for found, _ in corner_over([(4.0, 2.0), (5.0, 2.0), (4.0, 2.0)]))
    assert len(nothing) == 0
    assert again.rows.label[0] != first.rows.label[0]
    assert not again.rows.temporary[0]


def test_the_corners_of_a_region_keep_their_labels_while_it_slides_over_a_border() -> None:
    box, table = cuboid((0, 0, 0), (1, 1, 1)), cuboid((-3, -3, -1), (3, 3, 0))
    start, before, states = pair_of(box, table), ContactRegions.none(), []
    for x in (1.0, 1.5, 2.0, 2.25, 2.5):
        body_pair = start.at(pose(at=(x, 0.0, 0.0)))
        before = followed(body_pair, contact_regions(body_pair, TOLERANCE), before, TOLERANCE)
        states.append(before)
    inner = [
        {
            label
            for label, point in zip(f.points.label.tolist(), f.points.point1, strict=True)
            if point[0] < 2.6
        }
        for f in states
    ]
    assert all(labels == inner[2] for labels in inner[2:])
    assert len(inner[2]) == 2
    assert set(states[0].points.label.tolist()) >= inner[2]
    assert len({int(f.rows.label[0]) for f in states}) == 1


def test_bodies_that_stand_still_keep_all_normals_and_labels(rng: np.random.Generator) -> None:
    for number in range(20):
        first, second = (mesh_of(solid) for solid in touching_pair(rng, number))
        body_pair = pair_of(first, second)
        found = contact_regions(body_pair, TOLERANCE)
        once = followed(body_pair, found, ContactRegions.none(), TOLERANCE)
        again = followed(body_pair, found, once, TOLERANCE)
        assert np.abs(again.normal - once.normal).max(initial=0.0) < 1e-15
        assert again.rows.label.tolist() == once.rows.label.tolist()
        assert again.points.label.tolist() == once.points.label.tolist()
        assert again.next_label == once.next_label
        assert again.rows.temporary.all()
        assert not once.rows.temporary.any()


def test_a_normal_that_is_kept_turns_with_the_face_that_gave_it() -> None:
    tip = reversed_pyramid(0.0, 0.0)
    start, tilt = pair_of(BLOCK, tip), np.array([0.0, 0.1, 0.0])
    inside = start.at(pose(at=(1.0, 0.0, 0.0)))
    before = followed(inside, contact_regions(inside, TOLERANCE), ContactRegions.none(), TOLERANCE)
    assert before.kinds() == ["face/vertex"]
    leaning = start.at(pose(at=(4.0, 0.0, 0.0)).displaced(np.zeros(3), tilt, np.zeros(3)))
    found = followed(leaning, contact_regions(leaning, TOLERANCE), before, TOLERANCE)
    assert found.kinds() == ["edge/vertex"]
    assert np.abs(found.normal[0] - leaning.pose.vectors(UP)).max() < 1e-12
    assert found.rows.label.tolist() == before.rows.label.tolist()
