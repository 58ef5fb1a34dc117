"""Bad input ends in a clear error or in a named end, never in a crash."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import exact, polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.errors import MeshError, PhysPlaceError, PlacementError, SurfaceError
from physplace_addon.core.placement import Placement, Settings, Status, check
from physplace_addon.core.placement.certificate import Certificate
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from tests.bodies_of_the_paper import Paired, box, cuboid, floor, sphere

HIGH = Pose(np.array([1.0, 0, 0, 0]), np.array([0, 0, 3.0]))


def ends(active: Body, pose: Pose, world: Sequence[Body], settings: Settings | None = None) -> Certificate:
    return Placement(active, pose, world, settings or Settings()).run()


def test_without_a_floor_there_is_no_support() -> None:
    for world in ([], [polyhedron(*cuboid([9, 9, 0], [1, 1, 1]), "aside")]):
        certificate = ends(box().body, HIGH, world)
        assert certificate.status is Status.NO_SUPPORT
        assert certificate.steps <= 200


def test_bodies_without_a_floor_that_overlap_each_other_are_named_so() -> None:
    cubes, here = [box((0.5, 0.5, 0.5)).body] * 2, Pose.identity()
    near, beside = (Pose(here.rotation, np.array(place)) for place in ([0.3, 0.2, 0.1], [1.5, 0.0, 0.0]))
    begun = Placement.of_several(cubes, [here, near], [])
    assert begun.status is Status.INTERFERING_START
    assert begun.certificate().overlap > 0.1
    assert Placement.of_several(cubes, [here, beside], []).status is Status.NO_SUPPORT


def test_a_body_that_slides_off_its_only_support_has_none() -> None:
    ball = sphere(0.5).body
    post = exact(kinds.sphere(0.4), "post")
    pose = Pose(np.array([1.0, 0, 0, 0]), np.array([0.3, 0, 1.5]))
    certificate = ends(ball, pose, [post])
    assert certificate.status is Status.NO_SUPPORT
    assert certificate.steps <= 200


def ball() -> Paired:
    """A ball of few triangles."""
    return sphere(resolution=(25, 13))


@pytest.mark.parametrize("make", [box, ball])
def test_an_interfering_start_is_named_and_nothing_moves(
    make: Callable[[], Paired],
) -> None:
    body = make().body
    for world in ([floor()], [make().body]):
        placement = Placement(body, Pose.identity(), world, Settings())
        certificate = placement.run()
        assert certificate.status is Status.INTERFERING_START
        assert certificate.overlap > 0.1 * body.radius
        assert all(np.allclose(state.pose.translation, 0) for state in placement.states)


def test_check_reports_an_overlap_and_moves_nothing() -> None:
    pose = Pose(np.array([1.0, 0, 0, 0]), np.array([0, 0, 0.9]))
    assert check(sphere().body, pose, [floor()], Settings()).overlap == pytest.approx(0.1, rel=0.2)


@pytest.mark.parametrize(
    ("points", "triangles"),
    [
        (np.empty((0, 3)), np.empty((0, 3), int)),
        (np.array([[0, 0, 0], [1, 0, 0], [0, np.nan, 0]]), np.array([[0, 1, 2]])),
        (np.zeros((4, 3)), np.array([[0, 1, 2], [1, 2, 3]])),
        (np.eye(3), np.array([[0, 1, 3]])),
    ],
    ids=["empty", "NaN", "zero size", "index out of range"],
)
def test_a_mesh_without_meaning_is_an_error_that_names_it(points: Floats, triangles: Ints) -> None:
    with pytest.raises(MeshError, match="wreck"):
        polyhedron(points, triangles, "wreck")


def test_zero_scale_is_an_error() -> None:
    with pytest.raises(PhysPlaceError):
        box().body.transformed(np.diag([1.0, 0, 1, 1]))


@pytest.mark.parametrize(
    ("kind", "parameters", "named"),
    [
        ("blob", {}, "blob"),
        ("sphere", {"radius": -1.0}, "radius"),
        ("sphere", {}, "radius"),
        ("torus", {"major_radius": 1.0, "minor_radius": float("nan")}, "minor_radius"),
        ("cone", {"radius": 1.0, "height": 0.0}, "height"),
    ],
)
def test_a_bad_surface_is_an_error_that_names_the_property(
    kind: str, parameters: dict[str, float], named: str
) -> None:
    with pytest.raises(SurfaceError, match=named):
        kinds.build(kind, parameters)


def test_settings_without_meaning_are_errors() -> None:
    for gravity, eps_max in (((0, 0, 0), 0.05), ((0, 0, float("nan")), 0.05), ((0, 0, -1.0), -1.0)):
        with pytest.raises(PlacementError):
            ends(box().body, HIGH, [floor()], Settings(gravity=gravity, eps_max=eps_max))


def test_the_step_limit_ends_a_run() -> None:
    pose = Pose(np.array([0.9, 0.3, 0.2, 0.1]), np.array([0, 0, 3.0]))
    certificate = ends(box().body, pose, [floor()], Settings(step_limit=2))
    assert certificate.status is Status.STEP_LIMIT
    assert certificate.steps == 2


@pytest.mark.slow
def test_gravity_works_in_any_direction() -> None:
    random = np.random.default_rng(11)
    for _ in range(4):
        down = random.normal(size=3)
        down /= np.linalg.norm(down)
        helper = np.linalg.qr(np.column_stack([down, np.eye(3)[:, np.argsort(np.abs(down))[:2]]]))[0]
        frame = np.column_stack([helper[:, 1], helper[:, 2], -down])
        frame[:, 0] *= np.sign(np.linalg.det(frame))
        matrix = np.eye(4)
        matrix[:3, :3] = frame
        pose = Pose(random.normal(size=4), -2.5 * down)
        placement = Placement(box().body, pose, [floor().transformed(matrix)], Settings(gravity=tuple(down)))
        certificate = placement.run()
        assert certificate.status is Status.BALANCED
        height = -down @ placement.states[-1].pose.translation
        assert height == pytest.approx(0.5, abs=2e-6)
