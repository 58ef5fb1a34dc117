"""Where the parts of a linkage stop on their way: what they come to there is kept on its own side."""

import numpy as np

from physplace_addon.core.articulation import Linkage, LinkageScene
from physplace_addon.core.articulation.configuration import Configuration
from physplace_addon.core.articulation.contact.clearances import ContactClearances, Sleepers
from physplace_addon.core.bodies.polyhedra import polyhedron
from physplace_addon.core.rigid import Pose
from tests.core.articulation.figures import box

EDGE = np.array([0.0, -0.5, -0.5])  # of the box, about which it rolls
FIRST, LAST = 0.25, -0.15  # its turns, radians: the other edge of its bottom lands at 0


def turned(angle: float) -> Pose:
    """The pose of a box that has its edge a little above the floor."""
    turn = np.array([np.cos(0.5 * angle), np.sin(0.5 * angle), 0.0, 0.0])
    alone = Pose(turn, np.zeros(3))
    return Pose(turn, np.array([0.0, 0.0, 4e-3]) - alone.points(EDGE))


def test_what_a_part_comes_to_while_it_rolls_over_a_sheet_is_kept_above_it() -> None:
    """The edge that it rolls about stays by a lift of its path: without it, it would be seen from below."""
    floor = polyhedron(
        np.array([[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [9.0, 9.0, 0.0], [-9.0, 9.0, 0.0]]),
        np.array([[0, 1, 2], [0, 2, 3]]),
        "floor",
    )
    scene = LinkageScene.of(Linkage.of([box((1.0, 1.0, 1.0))], []), [turned(FIRST)], [floor])
    system, start = scene.start.system, scene.start.configuration
    assert system is not None
    sleepers = Sleepers.of(1, system.never_meeting)
    clearances = ContactClearances(scene.groups, start, system, scene.kept, 2.0, sleepers)
    end: Configuration = scene.groups.configuration([turned(LAST)])
    assert clearances.checked(end) is None
    assert 0.5 < clearances.free_share < 0.7, "it stops where the other edge lands"
    gaps = clearances.gaps(start)
    assert len(gaps.gap) >= 4
    upward = np.where(gaps.body[:, :1] == 0, gaps.direction[:, 0], gaps.direction[:, 1])[:, 2]
    assert (upward > 0.0).all()
    assert (gaps.gap > -scene.kept / scene.groups.length).all()
    assert clearances.gaps(end).gap.min() < 0.0, "it is known from then on what was in the way"
