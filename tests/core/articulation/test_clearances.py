"""Linkages that touch the world and themselves: nothing overlaps, and what may overlap is named."""

from collections.abc import Sequence

import numpy as np
import pytest

from physplace_addon.core.articulation import (
    Goal,
    Linkage,
    LinkageDrag,
    LinkageScene,
    LinkageSolve,
    LinkageState,
    LinkageStatus,
    PointGoal,
    pinned,
)
from physplace_addon.core.articulation.contact.clearances import CarriedGaps, without_far_world
from physplace_addon.core.articulation.groups import RigidGroups
from physplace_addon.core.bodies import Body
from physplace_addon.core.bodies.polyhedra import polyhedron
from physplace_addon.core.contact.system import FIXED, InterfacePoints, Reach
from physplace_addon.core.errors import PlacementError
from physplace_addon.core.rigid import Pose
from tests.core.articulation import figures
from tests.core.articulation.figures import Figure, box
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES
from tests.oracles.soups import Soup, deepest_crossing

TIP = np.array([0.5, 0.0, 0.0])


def deepest_overlap(figure: Figure, state: LinkageState, world: Sequence[Body], scene: LinkageScene) -> float:
    """The deepest crossing of triangles of two bodies that are not excepted, over the lesser radius."""
    names, parts = figure.linkage.names, figure.linkage.parts
    placed = [(name, part, pose) for name, part, pose in zip(names, parts, state.poses, strict=True)]
    placed += [("world", body, Pose.identity()) for body in world]
    deepest = 0.0
    for i, (name, body, pose) in enumerate(placed[: len(parts)]):
        for other_name, other, other_pose in placed[i + 1 :]:
            if {(name, other_name), (other_name, name)} & set(scene.excepted):
                continue
            first, second = (pose.points(body.triangles), other_pose.points(other.triangles))
            low, high = (np.stack([each.min(axis=(0, 1)), each.max(axis=(0, 1))]) for each in (first, second))
            if (low[0] > high[1]).any() or (high[0] > low[1]).any():
                continue
            depth = deepest_crossing(Soup.of(first), Soup.of(second))
            deepest = max(deepest, depth / min(body.radius, other.radius))
    return deepest


def block(size: Sequence[float], place: Sequence[float], name: str) -> Body:
    """A fixed box about a place."""
    return polyhedron(CUBE_POINTS * np.array(size) + np.array(place), CUBE_TRIANGLES, name)


def scene_of(figure: Figure, world: Sequence[Body] = ()) -> LinkageScene:
    return LinkageScene.of(figure.linkage, figure.poses, world)


def dragged(
    figure: Figure,
    scene: LinkageScene,
    world: Sequence[Body],
    part: int,
    path: Sequence[Sequence[float]],
    others: Sequence[Goal] = (),
    rest: int = 40,
) -> LinkageDrag:
    """A drag of a part's origin along shifts from where it is, then until it rests; each state is judged."""
    start = scene.start.poses[part].translation
    drag = LinkageDrag(scene, scene.start, [PointGoal(part, np.zeros(3), start), *others])
    for tick in range(len(path) + rest):
        if tick < len(path):
            drag.move_to([PointGoal(part, np.zeros(3), start + np.array(path[tick])), *others])
        elif not drag.status.is_running:
            break
        state = drag.step()
        assert state.joint_error < 1e-6
        assert deepest_overlap(figure, state, world, scene) < 1e-6
    return drag


def line(shift: Sequence[float], ticks: int) -> list[list[float]]:
    return [[each * (tick + 1) / ticks for each in shift] for tick in range(ticks)]


def test_derivatives_of_carried_gaps_are_finite_differences(rng: np.random.Generator) -> None:
    figure = figures.chain(3, 0.4)
    groups = scene_of(figure).groups
    at = scene_of(figure).start.configuration
    points = InterfacePoints.join([some_point(rng, dims) for dims in ((0, 2), (2, 0), (1, 1), (0, 2))])
    points.body2[3] = FIXED
    rows = CarriedGaps.of(groups, at, points, 1e-3)
    for there in (at, at.moved(0.2 * rng.normal(size=(3, 6)), groups.length)):
        found, step = rows.gaps(there, groups.length).dense(3), 1e-6
        for column in range(18):
            twist = np.zeros(18)
            twist[column] = step
            ahead, behind = (
                rows.gaps(there.moved(sign * twist.reshape(3, 6), groups.length), groups.length).gap
                for sign in (1.0, -1.0)
            )
            assert np.abs((ahead - behind) / (2.0 * step) - found[:, column]).max() < 1e-8


def some_point(rng: np.random.Generator, dims: tuple[int, int]) -> InterfacePoints:
    """A point between parts 0 and 2 somewhere: a vertex and a face, a face and a vertex, or two edges."""
    one, normal = rng.normal(size=3), rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    nothing, gap = np.zeros(1, np.intp), np.array([0.3])
    return InterfacePoints(
        np.array([dims[0]]), nothing, nothing, np.zeros((1, 2)),
        np.array([dims[1]]), nothing, nothing, np.zeros((1, 2)),
        np.ones(1), np.zeros(1, bool), np.full(1, np.inf),
        (one + 0.3 * normal)[None], one[None], normal[None], gap, np.zeros(1, np.intp), np.full(1, 2),
    )  # fmt: skip


def test_what_carried_gaps_leave_out_of_their_bend_is_what_two_groups_do_at_once(
    rng: np.random.Generator,
) -> None:
    groups, at = RigidGroups.of(figures.chain(3).linkage, figures.chain(3).poses)
    each, unit = np.arange(4), rng.normal(size=(4, 3))
    rows = CarriedGaps(
        np.array([(0, 1), (1, 2), (2, 0), (1, FIXED)], np.intp),
        rng.normal(size=(4, 2, 3)),
        np.array([0, 1, 0, 1], np.intp),
        unit / np.linalg.norm(unit, axis=1)[:, None],
        np.zeros(4),
    )
    found, step = rows.gaps(at, groups.length), 1e-4
    mixed = rows.mixed_hessians(at, groups.length)
    for _ in range(10):
        twists = step * np.concatenate([rng.normal(size=(3, 6)), np.zeros((1, 6))])
        ahead, behind = (rows.gaps(at.moved(s * twists[:3], groups.length), groups.length) for s in (1, -1))
        bent = (ahead.gap + behind.gap - 2.0 * found.gap) / step**2
        x = twists[rows.body] / step
        turn = x[:, :, 3:]
        along, arm = found.direction, found.arm
        own = (turn * along).sum(axis=2) * (turn * arm).sum(axis=2)
        own -= (turn**2).sum(axis=2) * (along * arm).sum(axis=2)
        flat = x.reshape(4, 12)
        both = own.sum(axis=1) + np.einsum("ki,kij,kj->k", flat, mixed, flat)
        np.testing.assert_allclose(both[each], bent, atol=1e-5)


def test_fingers_that_squeeze_each_other_go_along_with_the_hand_that_is_dragged() -> None:
    figure = figures.hand()
    scene = scene_of(figure)
    tips = [figure.poses[i].points(0.1 * TIP) for i in range(1, 5)]
    middle = np.mean(tips, axis=0)
    squeezed = LinkageSolve(scene, scene.start, [PointGoal(i, 0.1 * TIP, middle) for i in (1, 2, 3, 4)])
    for _ in range(12):
        squeezed.step()
    palm = squeezed.state.poses[0].translation
    drag = LinkageDrag(scene, squeezed.state, [PointGoal(0, np.zeros(3), palm)])
    assert len(squeezed.state.contacts) >= 3
    for tick in range(1, 6):
        place = palm + tick * np.array([-0.002, 0.001, -0.004])
        drag.move_to([PointGoal(0, np.zeros(3), place)])
        state = drag.step()
        assert deepest_overlap(figure, state, [], scene) < 1e-6
        np.testing.assert_allclose(state.poses[0].translation, place, atol=1e-6)


def test_an_arm_stops_at_a_wall_and_slides_along_it() -> None:
    figure = figures.chain(3, 0.3)
    wall = [block((0.2, 6.0, 6.0), (2.95, 0.0, 0.0), "wall")]
    scene = scene_of(figure, wall)
    drag = dragged(figure, scene, wall, 2, line((0.8, -0.6, 0.2), 25))
    assert drag.status is LinkageStatus.BLOCKED
    assert len(drag.state.contacts) > 0
    target = figure.poses[2].translation + np.array([0.8, -0.6, 0.2])
    apart = drag.state.poses[2].translation - target
    assert abs(apart[1]) < 0.2  # it went along with the goal beside the wall


def test_a_fast_drag_does_not_go_through_a_thin_wall() -> None:
    figure = figures.chain(3, 0.3)
    wall = [block((0.001, 6.0, 6.0), (2.85, 0.0, 0.0), "wall")]
    scene = scene_of(figure, wall)
    solver = LinkageSolve(scene, scene.start, [PointGoal(2, TIP, np.array([3.2, 0.0, 0.0]))])
    for _ in range(40):
        state = solver.step()
        assert deepest_overlap(figure, state, wall, scene) < 1e-6
        assert all(pose.translation[0] < 2.85 for pose in state.poses)
        if not solver.status.is_running:
            break


def test_an_arm_does_not_go_through_another_part_of_its_figure() -> None:
    figure = figures.person()
    floor = [block((4.0, 4.0, 0.2), (0.0, 0.0, -0.1), "floor")]
    scene = scene_of(figure, floor)
    hand = figure.linkage.names.index("left hand")
    feet = [figure.linkage.names.index(f"{side} foot") for side in ("left", "right")]
    pins = pinned(scene.start.poses, feet)
    drag = dragged(figure, scene, floor, hand, line((-0.5, 0.0, 0.35), 10), pins, rest=3)
    assert drag.state.goal_errors[0] > 0.02  # the goal is inside the trunk
    assert len(drag.state.contacts) > 0


def test_neighbours_that_overlap_in_the_rest_pose_are_named() -> None:
    figure = figures.person()
    excepted = scene_of(figure).excepted
    assert ("left thigh", "left shin") in excepted or ("left shin", "left thigh") in excepted
    assert not any("head" in pair and "pelvis" in pair for pair in excepted)


def test_parts_that_overlap_though_no_joint_connects_them_are_excepted_and_named() -> None:
    figure = figures.chain(3, 0.4)
    poses = list(figure.poses)
    parts = [*figure.linkage.parts, box((0.3, 0.3, 0.3), "hat")]
    linkage = type(figure.linkage).of(parts, figure.linkage.joints, names=["a", "b", "c", "hat"])
    poses.append(Pose(np.array([1.0, 0.0, 0.0, 0.0]), poses[2].translation))
    assert ("c", "hat") in LinkageScene.of(linkage, poses).excepted


def test_a_part_that_overlaps_the_world_is_named_with_what_it_overlaps() -> None:
    figure = figures.chain(3, 0.4)
    crate = [block((0.5, 0.5, 0.5), figure.poses[2].translation.tolist(), "crate")]
    with pytest.raises(PlacementError, match='"part 2" overlaps "crate"'):
        scene_of(figure, crate)


def test_a_part_that_starts_inside_a_solid_or_around_one_is_named() -> None:
    figure = figures.chain(3, 0.4)
    place = figure.poses[2].translation.tolist()
    for size in ((3.0, 3.0, 3.0), (0.01, 0.01, 0.01)):  # part 2 in it, and it in part 2
        with pytest.raises(PlacementError, match=r'"part \d" overlaps "rock"'):
            scene_of(figure, [block(size, place, "rock")])


def test_feet_that_stand_on_or_a_little_in_a_floor_are_parted_from_it() -> None:
    figure = figures.person()
    for height in (0.0, 0.001, 0.001 + 2e-5):
        floor = [block((4.0, 4.0, 0.2), (0.0, 0.0, -0.1 + height), "floor")]
        scene = scene_of(figure, floor)
        assert deepest_overlap(figure, scene.start, floor, scene) == 0.0
        moved = [a.translation - b.translation for a, b in zip(scene.start.poses, figure.poses, strict=True)]
        assert np.abs(moved).max() < 1e-3


def test_nothing_moves_while_a_goal_presses_a_part_against_a_wall() -> None:
    figure = figures.chain(3, 0.3)
    wall = [block((0.2, 6.0, 6.0), (2.95, 0.0, 0.0), "wall")]
    scene = scene_of(figure, wall)
    drag = dragged(figure, scene, wall, 2, line((0.5, 0.0, 0.0), 15), rest=80)
    assert not drag.status.is_running
    goals = [PointGoal(2, np.zeros(3), figure.poses[2].translation + np.array([0.5, 0.0, 0.0]))]
    rest = drag.state
    for _ in range(5):
        drag.move_to(goals)
        for pose, before in zip(drag.step().poses, rest.poses, strict=True):
            assert np.abs(pose.matrix4 - before.matrix4).max() < 1e-6


@pytest.mark.parametrize("scale", [1e-3, 100.0])
def test_a_bead_and_a_hall_stop_at_walls_alike(scale: float) -> None:
    figure = figures.chain(3, 0.3, scale)
    wall = [block((0.2 * scale, 6.0 * scale, 6.0 * scale), (2.95 * scale, 0.0, 0.0), "wall")]
    scene = scene_of(figure, wall)
    drag = dragged(figure, scene, wall, 2, line((0.5 * scale, 0.0, 0.0), 10), rest=20)
    assert len(drag.state.contacts) > 0
    assert drag.state.goal_errors[0] > 0.1 * scale


def test_leaving_out_what_is_far_from_the_world_loses_no_interface_point() -> None:
    figure = figures.person()
    posts = [block((0.2, 0.2, 3.0), (x, y, 0.0), f"post {x} {y}") for x in (-0.8, 0.8) for y in (-0.8, 0.8)]
    floor = block((4.0, 4.0, 0.2), (0.0, 0.0, -0.101), "floor")
    system = scene_of(figure, [*posts, floor]).start.system
    assert system is not None
    left_out = 0
    for reach in (0.001, 0.05, 0.5, 2.0):
        near, wide = without_far_world(system, reach), Reach(reach, reach, reach)
        left_out += len(near.never_meeting - system.never_meeting)
        every, some = (each.generate(wide, InterfacePoints.none(), None) for each in (system, near))
        assert len(every) == len(some)
        np.testing.assert_array_equal(np.sort(every.gap), np.sort(some.gap))
    assert left_out > 0


def test_nothing_is_looked_up_of_a_world_that_a_figure_only_stands_in() -> None:
    figure = figures.person()
    posts = [block((0.2, 0.2, 6.0), (x, y, 0.0), f"post {x} {y}") for x in (-3.0, 3.0) for y in (-3.0, 3.0)]
    start = scene_of(figure, posts).start
    assert start.system is not None
    assert start.system.fixed is not None
    assert len(start.contacts) == 0
    assert "normal_bounds" not in vars(start.system.fixed)


def test_a_scene_is_prepared_in_slices_and_preparing_it_may_be_ended() -> None:
    figure = figures.person()
    floor = [block((4.0, 4.0, 0.2), (0.0, 0.0, -0.1), "floor")]
    job = LinkageScene.preparing(figure.linkage, figure.poses, floor)
    words = [next(job) for _ in range(len(figure.linkage))]
    assert all(each.words for each in words)
    job.close()
    scene = scene_of(figure, floor)
    assert deepest_overlap(figure, scene.start, floor, scene) == 0.0


def test_what_passes_through_the_world_at_first_does_so_for_good() -> None:
    figure = figures.chain(3, 0.3)
    linkage = Linkage.of(figure.linkage.parts, figure.linkage.joints, names=figure.linkage.names, ghosts=[1])
    middle, free = figure.poses[1].translation, LinkageScene.of(linkage, figure.poses)
    lintel = [block((0.3, 0.3, 0.3), (middle + np.array([0.0, 0.0, 0.4])).tolist(), "lintel")]
    among = LinkageScene.of(linkage, figure.poses, lintel)
    ends = []
    for scene in (free, among):
        drag = LinkageDrag(scene, scene.start, [PointGoal(1, np.zeros(3), middle)])
        for height in np.linspace(0.0, 0.4, 21):
            drag.move_to([PointGoal(1, np.zeros(3), middle + np.array([0.0, 0.0, height]))])
            drag.step()
        ends.append(drag.state)
        assert len(drag.state.contacts) == 0
    for pose, other in zip(ends[0].poses, ends[1].poses, strict=True):
        np.testing.assert_allclose(pose.matrix4, other.matrix4, atol=1e-6)


@pytest.mark.parametrize(("height", "slices"), [(-0.1, 4), (-3.0, 0)])
def test_a_world_is_looked_up_in_slices_only_where_a_part_is_near(height: float, slices: int) -> None:
    figure = figures.person()
    world = [
        block((4.0, 4.0, 0.2), (0.0, 0.0, height), "floor"),
        block((0.2, 0.2, 6.0), (3.0, 0.0, 0.0), "post"),
    ]
    every = list(LinkageScene.preparing(figure.linkage, figure.poses, world))
    touching = [each for each in every if each.words == "Looking for what the figure touches"]
    assert len([each for each in touching if each.part is not None]) == slices
