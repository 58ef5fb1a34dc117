"""Blender's monkey, open and cutting itself, comes to rest on a floor and in a bowl, never through either."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.placement import Placement, Settings, Status
from physplace_addon.core.placement.certificate import Certificate
from physplace_addon.core.rigid import Pose
from tests.blender_data import active_object, mesh_of
from tests.bodies_of_the_paper import floor
from tests.oracles.frames import quaternion_of, random_rotation, rotation_of
from tests.oracles.rests import nearest_rest
from tests.oracles.shapes import Polyhedron
from tests.oracles.triangles import crossings

ENDS = (Status.BALANCED, Status.AT_ENERGY_MINIMUM)


@pytest.fixture(scope="module")
def monkey() -> Body:
    bpy.ops.mesh.primitive_monkey_add()
    made = active_object()
    mesh = mesh_of(made)
    mesh.calc_loop_triangles()
    points = np.array([v.co[:] for v in mesh.vertices], float)
    triangles = np.array([t.vertices[:] for t in mesh.loop_triangles])
    bpy.data.objects.remove(made)
    bpy.data.meshes.remove(mesh)
    return polyhedron(points, triangles, "Suzanne")


def faceted_bowl() -> Body:
    """A bowl of flat faces: an outer and an inner half sphere joined at the rim; z from -2.2 to 0."""
    turn, rise = np.linspace(0, 2 * np.pi, 33)[:-1], np.linspace(-np.pi / 2, 0, 9)[1:]
    points: list[list[float]] = []
    triangles: list[list[int]] = []
    for radius, flip in ((2.2, False), (2.0, True)):
        first = len(points)
        points.append([0, 0, -radius])
        points += [
            [radius * np.cos(b) * np.cos(a), radius * np.cos(b) * np.sin(a), radius * np.sin(b)]
            for b in rise
            for a in turn
        ]
        triangles += [t[::-1] if flip else t for t in shell(first, len(turn), len(rise))]
    outer, inner = 1 + 32 * 7, 2 + 32 * 15
    for i in range(32):
        j = (i + 1) % 32
        triangles += [[outer + i, outer + j, inner + j], [outer + i, inner + j, inner + i]]
    return polyhedron(np.array(points, float), np.array(triangles), "bowl")


def shell(first: int, around: int, up: int) -> list[list[int]]:
    """Triangles of a pole and rings of points, wound outward."""
    found = [[first, first + 1 + (i + 1) % around, first + 1 + i] for i in range(around)]
    for ring in range(up - 1):
        low = first + 1 + ring * around
        for i in range(around):
            j = (i + 1) % around
            found += [[low + i, low + j, low + around + j], [low + i, low + around + j, low + around + i]]
    return found


def settle(body: Body, pose: Pose, world: list[Body]) -> tuple[Placement, Certificate]:
    placement = Placement(body, pose, world, Settings())
    return placement, placement.run()


def assert_never_through(placement: Placement, body: Body, other: Body) -> None:
    for state in placement.states:
        rotation = rotation_of(state.pose.rotation)
        moved = body.triangles @ rotation.T + state.pose.translation
        assert not len(crossings(moved, other.triangles, 1e-9 * body.radius))


@pytest.mark.slow
def test_the_monkey_rests_on_the_floor(monkey: Body) -> None:
    shape = Polyhedron(monkey.triangles.reshape(-1, 3), monkey.mass.center)
    random = np.random.default_rng(4)
    for _ in range(3):
        rotation = random_rotation(random)
        placement, certificate = settle(
            monkey, Pose(quaternion_of(rotation), np.array([0, 0, 2.0])), [floor()]
        )
        assert certificate.status in ENDS
        end = placement.states[-1].pose
        turned = rotation_of(end.rotation)
        rest = nearest_rest(shape, -turned[2])
        assert rest.tilt <= 1e-5
        height = (turned @ monkey.mass.center + end.translation)[2]
        assert height == pytest.approx(rest.height, abs=1e-5 * monkey.radius)
        assert_never_through(placement, monkey, floor())


@pytest.mark.slow
def test_the_monkey_rests_in_a_bowl(monkey: Body) -> None:
    bowl = faceted_bowl()
    assert bowl.closed
    pose = Pose(np.array([0.9, 0.2, 0.3, 0.1]), np.array([0.2, 0.1, 2.0]))
    placement, certificate = settle(monkey, pose, [bowl])
    assert certificate.status in ENDS
    assert np.all(certificate.contacts.force >= 0)
    assert_never_through(placement, monkey, bowl)
