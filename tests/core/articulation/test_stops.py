"""Where the parts of a linkage stop on their way: what they come to there is kept on its own side."""

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.articulation import Linkage, LinkageScene
from physplace_addon.core.articulation.configuration import Configuration
from physplace_addon.core.articulation.contact.clearances import ContactClearances, Sleepers, least_lift
from physplace_addon.core.articulation.least_motion import Gaps
from physplace_addon.core.bodies import Body
from physplace_addon.core.bodies.polyhedra import polyhedron
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.rigid import Pose
from tests.core.articulation.figures import box

EDGE = np.array([0.0, -0.5, -0.5])  # of the box, about which it rolls
MIDDLE = np.array([0.0, 0.0, -0.5])  # of its bottom, on which it rocks
FIRST, LAST = 0.25, -0.15  # its turns, radians: the other edge of its bottom lands at 0


def turned(angle: float, point: Floats = EDGE, height: float = 4e-3) -> Pose:
    """The pose of a box that has a point of its own a little above the origin."""
    turn = np.array([np.cos(0.5 * angle), np.sin(0.5 * angle), 0.0, 0.0])
    alone = Pose(turn, np.zeros(3))
    return Pose(turn, np.array([0.0, 0.0, height]) - alone.points(point))


def over(world: Body, pose: Pose) -> tuple[LinkageScene, ContactClearances]:
    """A box at a pose over a fixed body, and its clearances there."""
    scene = LinkageScene.of(Linkage.of([box((1.0, 1.0, 1.0))], []), [pose], [world])
    system, start = scene.start.system, scene.start.configuration
    assert system is not None
    sleepers = Sleepers.of(1, system.never_meeting)
    return scene, ContactClearances(scene.groups, start, system, scene.kept, 2.0, sleepers)


def test_what_a_part_comes_to_while_it_rolls_over_a_sheet_is_kept_above_it() -> None:
    """The edge that it rolls about stays by a lift of its path: without it, it would be seen from below."""
    floor = polyhedron(
        np.array([[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [9.0, 9.0, 0.0], [-9.0, 9.0, 0.0]]),
        np.array([[0, 1, 2], [0, 2, 3]]),
        "floor",
    )
    scene, clearances = over(floor, turned(FIRST))
    start = scene.start.configuration
    end: Configuration = scene.groups.configuration([turned(LAST)])
    assert clearances.checked(end) is None
    assert 0.5 < clearances.free_share < 0.7, "it stops where the other edge lands"
    gaps = clearances.gaps(start)
    assert len(gaps.gap) >= 4
    upward = np.where(gaps.body[:, :1] == 0, gaps.direction[:, 0], gaps.direction[:, 1])[:, 2]
    assert (upward > 0.0).all()
    assert (gaps.gap > -scene.kept / scene.groups.length).all()
    assert clearances.gaps(end).gap.min() < 0.0, "it is known from then on what was in the way"


RIDGE = polyhedron(
    np.array([[x, y, -abs(y)] for x in (-9.0, 9.0) for y in (-5.0, 0.0, 5.0)]),
    np.array([[0, 3, 1], [1, 3, 4], [1, 4, 2], [2, 4, 5], [0, 1, 2], [3, 5, 4], [0, 2, 3], [2, 5, 3]]),
    "ridge",
)


def test_an_end_that_obeys_but_for_rounding_is_not_solved_for_again() -> None:
    """Only the way there cuts into the ridge on which a box rocks: what it comes to is kept at its end."""
    scene, clearances = over(RIDGE, turned(0.43, MIDDLE, 0.09))
    end = scene.groups.configuration([turned(-0.43, MIDDLE, (1.0 - 1e-6) * scene.kept)])
    assert clearances.checked(end) is None
    assert 0.0 < clearances.free_share < 1.0
    assert clearances.gaps(end).gap.min() < 0.0
    assert not clearances.end_is_forbidden


def test_a_way_between_ends_that_obey_goes_around_what_is_known_between_them() -> None:
    """A box that rocks on a ridge begins some way above it; straight, its centre would lead it in."""
    scene, clearances = over(RIDGE, turned(0.3, MIDDLE, 0.02))
    assert clearances.gaps(scene.start.configuration).gap.min() > scene.kept / scene.groups.length
    end = scene.groups.configuration([turned(-0.3, MIDDLE, 1.01 * scene.kept)])
    assert clearances.checked(end) is not None


def test_what_is_lifted_from_one_thing_is_not_pushed_into_another_that_was_clear() -> None:
    """A floor that is cut into, and a slope above that a lift straight up would come to."""
    normals = np.array([[0.0, 0.0, 1.0], [0.0, -0.6, -0.8]])
    blocks = np.zeros((2, 2, 6))
    blocks[:, 0, :3] = normals
    gaps = Gaps.straight(np.array([-0.04, 0.01]), blocks, np.array([[0, FIXED], [0, FIXED]]))
    (lift,) = least_lift(gaps, 1)
    assert (gaps.gap + normals @ lift > -0.01).all()
    assert lift[1] < -0.01, "it goes aside"
