"""A figure in a large scene: what is near to it counts as in a small one, wherever it goes."""

from collections.abc import Sequence

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.articulation import LinkageDrag, LinkageScene, PointGoal
from physplace_addon.core.bodies import Body, MeshBody
from physplace_addon.core.bodies.excerpt import excerpt, is_of_triangles
from physplace_addon.core.bodies.polyhedra import polyhedron
from physplace_addon.core.contact.system import ContactSystem, InterfacePoints, Reach
from physplace_addon.core.errors import PlacementError
from physplace_addon.core.rigid import Pose
from tests.core.articulation import figures
from tests.core.articulation.figures import Figure, box

SIDE = 102  # quadrilaterals along a floor: over 20,000 triangles


def floor(half: float, height: float = 0.0, bumps: float = 0.0) -> Body:
    """A fine floor of so many lengths to either side."""
    return polyhedron(*floor_mesh(half, height, bumps), "floor")


def floor_mesh(half: float, height: float = 0.0, bumps: float = 0.0) -> tuple[Floats, Ints]:
    x, y = np.meshgrid(*(np.linspace(-half, half, SIDE + 1),) * 2, indexing="ij")
    z = height + bumps * np.sin(3.0 * x) * np.cos(2.0 * y)
    i, j = (each.ravel() for each in np.meshgrid(np.arange(SIDE), np.arange(SIDE), indexing="ij"))
    a, b = i * (SIDE + 1) + j, (i + 1) * (SIDE + 1) + j
    triangles = np.concatenate([np.stack([a, b, b + 1], 1), np.stack([a, b + 1, a + 1], 1)])
    return np.stack([x, y, z], -1).reshape(-1, 3), triangles


def lowest(figure: Figure, poses: Sequence[Pose]) -> float:
    parts = zip(figure.linkage.parts, poses, strict=True)
    return min(float(pose.points(part.triangles.reshape(-1, 3))[:, 2].min()) for part, pose in parts)


def test_a_figure_does_not_go_through_a_large_floor_however_far_it_is_dragged() -> None:
    figure = figures.rods_through(
        np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [2.0, 0.1, 0.0], [3.0, 0.0, 0.0]])
    )
    height = lowest(figure, figure.poses) - 0.2
    scene = LinkageScene.of(figure.linkage, figure.poses, [floor(20.0, height)])
    start = scene.start.poses[2].translation
    drag = LinkageDrag(scene, scene.start, [PointGoal(2, np.zeros(3), start)])
    seen, touches = set[int](), 0
    for tick in range(40):
        drag.move_to([PointGoal(2, np.zeros(3), start + np.array([0.1 * tick, 0.0, -0.05 * min(tick, 20)]))])
        state = drag.step()
        assert state.joint_error < 1e-6
        assert lowest(figure, state.poses) > height
        assert state.system is not None
        assert state.system.fixed is not None
        seen.add(id(state.system.fixed))
        assert len(state.system.fixed.body.triangles) < SIDE**2
        touches += len(state.contacts) > 0
    assert drag.state.poses[2].translation[0] > start[0] + 3.0
    assert touches > 20
    assert len(seen) > 2, "the world was cut anew on the way"


def test_of_a_large_floor_no_more_is_made_than_a_drag_over_it_needs() -> None:
    figure = figures.rods_through(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [2.0, 0.1, 0.0]]))
    height = lowest(figure, figure.poses) - 0.05
    ground = MeshBody.of(*floor_mesh(20.0, height), "floor")
    scene = LinkageScene.of(figure.linkage, figure.poses, [ground])
    start = scene.start.poses[1].translation
    drag = LinkageDrag(scene, scene.start, [PointGoal(1, np.zeros(3), start)])
    for tick in range(5):
        drag.move_to([PointGoal(1, np.zeros(3), start - np.array([0.0, 0.0, 0.05 * tick]))])
        assert lowest(figure, drag.step().poses) > height
    assert len(drag.state.contacts)
    assert isinstance(ground, MeshBody), "all of it was made"


def test_a_mesh_that_is_near_as_a_whole_is_taken_as_it_is() -> None:
    """Cut, it would be made anew wherever the figure goes."""
    figure = figures.rods_through(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [2.0, 0.1, 0.0]]))
    ground = MeshBody.of(*floor_mesh(0.2, lowest(figure, figure.poses) - 0.05), "floor")
    system = LinkageScene.of(figure.linkage, figure.poses, [ground]).start.system
    assert system is not None
    assert system.fixed is not None
    assert len(system.fixed.body.triangles) == 2 * SIDE**2
    assert not isinstance(ground, MeshBody), "it was made"


def test_a_figure_inside_a_large_solid_is_named_though_nothing_of_it_is_near() -> None:
    figure = figures.chain(3, 0.3)
    sheet = floor(1.0)
    up = sheet.triangles + np.array([0.0, 0.0, 1.0])
    sides = [100.0 * turned(up, axis) for axis in range(6)]
    corners = np.concatenate(sides).reshape(-1, 3)
    hall = polyhedron(corners, np.arange(len(corners)).reshape(-1, 3), "hall")
    assert hall.closed
    with pytest.raises(PlacementError, match='overlaps "hall"'):
        LinkageScene.of(figure.linkage, figure.poses, [hall])


def turned(corners: Floats, axis: int) -> Floats:
    """Corners of the upper side of a cube, turned to one of its sides."""
    rolled = np.roll(corners, axis % 3, axis=-1)
    return rolled if axis < 3 else -rolled[:, ::-1]


def test_interface_points_of_an_excerpt_are_those_of_the_whole_body(rng: np.random.Generator) -> None:
    ground, cube = floor(2.0, bumps=0.1), box((0.3, 0.3, 0.3))
    assert is_of_triangles(ground)
    reach = Reach(1.0, 1.0, 1.0)
    for _ in range(5):
        turn = rng.normal(size=4)
        place = np.append(rng.uniform(-1.0, 1.0, 2), 0.0)
        place[2] = 0.1 * np.sin(3.0 * place[0]) * np.cos(2.0 * place[1]) + 0.27
        pose = Pose(turn / np.linalg.norm(turn), place)
        near = (np.abs(ground.triangles.mean(axis=1) - place) < 0.6).all(axis=1)
        found = []
        for body in (ground, excerpt(ground, near)):
            system = ContactSystem.of([cube], [pose], [body])
            points = system.generate(reach, InterfacePoints.none(), None)
            order = np.lexsort(np.round(points.point1, 9).T)
            found.append(points.take(order))
        whole, some = found
        assert len(whole)
        assert len(whole) == len(some)
        np.testing.assert_allclose(whole.gap, some.gap, atol=1e-12)
        np.testing.assert_allclose(whole.normal, some.normal, atol=1e-9)
