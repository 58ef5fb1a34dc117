"""A check tells what a body overlaps, touches and rests on, and moves nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import exact, polyhedron
from physplace_addon.core.contact.system import InterfacePoints
from physplace_addon.core.errors import PlacementError
from physplace_addon.core.placement import Connection, Placement, Settings, Status, check
from physplace_addon.core.placement.certificate import Certificate
from physplace_addon.core.placement.checking import overlapping
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from tests.bodies_of_the_paper import cuboid, floor, sphere
from tests.core.contact.body_pairs import body, pose
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES

UPRIGHT = (0.0, 0.0, 0.0)
STANDING = {"ball": 1.0, "torus": 0.3, "cylinder": 1.0, "cone": 1.0, "cube": 0.5, "ellipsoid": 0.8}


def shift(x: float) -> Floats:
    matrix = np.eye(4)
    matrix[:3, 3] = x, 0.0, 0.5
    return matrix


def report(
    name: str,
    world: str,
    height: float,
    turn: tuple[float, float, float] = UPRIGHT,
    settings: Settings | None = None,
) -> Certificate:
    return check(body(name), pose(turn, (0.1, 0.2, height)), [body(world)], settings or Settings())


@pytest.mark.parametrize("name", STANDING)
@pytest.mark.parametrize("world", ["slab", "plane"])
def test_a_body_that_stands_is_balanced(name: str, world: str) -> None:
    found = report(name, world, STANDING[name])
    assert found.status is Status.BALANCED
    assert found.overlap <= 1e-9
    assert found.gap <= 1e-9
    assert found.required_friction == 0.0
    assert abs(found.contacts.force.sum() - 1.0) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("name", STANDING)
@pytest.mark.parametrize("world", ["slab", "plane"])
@pytest.mark.parametrize("depth", [0.01, 0.1, 0.28])
def test_an_overlap_is_told_by_its_depth(name: str, world: str, depth: float) -> None:
    found = report(name, world, STANDING[name] - depth)
    assert found.status is Status.INTERFERING_START
    assert abs(found.overlap - depth) < 1e-6


def test_an_overlap_within_the_tolerance_is_none() -> None:
    assert (
        report("ball", "slab", 1.0 - 1e-5, settings=Settings(start_tolerance=1e-4)).status
        is not Status.INTERFERING_START
    )
    assert (
        report("ball", "slab", 1.0 - 1e-3, settings=Settings(start_tolerance=1e-4)).status
        is Status.INTERFERING_START
    )


def test_a_body_in_the_air_touches_nothing() -> None:
    found = report("cube", "slab", 0.7)
    assert found.status is Status.RUNNING
    assert len(found.contacts) == 0
    assert found.residual_force == 1.0


def test_without_a_world_there_is_nothing_to_touch() -> None:
    assert check(body("cube"), pose(), []).status is Status.RUNNING


def test_a_body_wholly_inside_another_overlaps_without_measure() -> None:
    big = polyhedron(10.0 * CUBE_POINTS, CUBE_TRIANGLES, "big")
    found = check(body("ball"), pose(), [big])
    assert found.status is Status.INTERFERING_START
    assert found.overlap == np.inf


def test_cubes_that_cut_one_another_overlap() -> None:
    found = check(body("cube"), pose((0.3, 0.5, 0.1), (0.6, 0.5, 0.4)), [body("cube")])
    assert found.status is Status.INTERFERING_START
    assert 0.0 < found.overlap < 1.0


def test_a_block_on_a_slope_is_held_by_friction_only() -> None:
    angle = np.radians(20.0)
    found = report("cube", "slab", 0.5, settings=Settings(gravity=(np.sin(angle), 0.0, -np.cos(angle))))
    assert found.status is Status.RUNNING
    assert abs(found.required_friction - np.tan(angle)) < 1e-3
    assert abs(found.residual_force - np.sin(angle)) < 1e-3


@pytest.mark.parametrize(
    ("angle", "turn"), [(20.0, UPRIGHT), (0.0, UPRIGHT), (0.0, (0.25 * np.pi, 0.0, 0.0))]
)
def test_a_check_says_of_a_rest_whether_it_is_stable_as_its_placement_does(
    angle: float, turn: tuple[float, float, float]
) -> None:
    slope = (np.sin(np.radians(angle)), 0.0, -np.cos(np.radians(angle)))
    settings, start = (
        Settings(gravity=slope, friction=0.5),
        pose(turn, (0.1, 0.2, 0.5 if turn == UPRIGHT else np.sqrt(0.5))),
    )
    placement = Placement(body("cube"), start, [body("slab")], settings)
    placed, found = placement.run(), check(body("cube"), placement.state.pose, [body("slab")], settings)
    assert placed.status.at_rest
    assert found.status.at_rest
    assert found.stable is placed.stable


@pytest.mark.parametrize(
    ("x", "status"), [(-2.0, Status.BALANCED_BY_FRICTION), (2.0, Status.NO_SUPPORT)], ids=["rough", "smooth"]
)
def test_a_contact_has_the_friction_of_its_two_surfaces(x: float, status: Status) -> None:
    slab = polyhedron(*cuboid([0.0, 0.0, -0.5], [1.5, 1.5, 0.5]), "slab")
    world = [slab.transformed(pose(UPRIGHT, (at, 0.0, 0.0)).matrix4) for at in (-2.0, 2.0)]
    steep = Settings(gravity=(np.tan(0.3), 0.0, -1.0), surface_friction=(0.8, 0.5, 0.3))
    assert Placement(body("cube"), pose(UPRIGHT, (x, 0.0, 0.5)), world, steep).run().status is status


def test_a_coefficient_is_needed_for_each_surface() -> None:
    with pytest.raises(PlacementError, match="expected 2 coefficients, found 1"):
        Placement(
            body("cube"), pose(UPRIGHT, (0.0, 0.0, 0.5)), [body("slab")], Settings(surface_friction=(0.5,))
        )


def test_a_cube_on_its_edge_is_balanced_but_not_stable() -> None:
    found = report("cube", "slab", np.sqrt(0.5), turn=(0.25 * np.pi, 0.0, 0.0))
    assert found.status is Status.BALANCED
    assert not found.stable
    assert set(found.contacts.region) == {"line"}


def test_a_cube_on_its_face_is_stable_by_half_its_side() -> None:
    found = report("cube", "slab", 0.5)
    assert found.stable
    assert abs(found.support_margin - 0.5) < 1e-12
    assert set(found.contacts.region) == {"face"}


def test_a_ball_touches_in_a_point() -> None:
    found = report("ball", "slab", 1.0)
    assert found.contacts.region == ("point",)
    assert found.contacts.kind == ("face/face",)
    assert np.abs(found.contacts.position - [0.1, 0.2, 0.0]).max() < 1e-9
    assert np.abs(found.contacts.normal - [0.0, 0.0, 1.0]).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("far", [0.0, 1e3])
def test_a_ball_is_told_how_deep_it_is_sunk_at_any_scale_and_place(size: float, far: float) -> None:
    ball = exact(kinds.sphere(size), "ball")
    ground = polyhedron(8.0 * size * (CUBE_POINTS - [0.0, 0.0, 0.5]) + far * size, CUBE_TRIANGLES, "ground")
    for depth in (0.25, 1.9):
        here = pose(UPRIGHT, tuple(size * (far + np.array([0.1, 0.2, 1.0 - depth]))))
        assert check(ball, here, [ground]).overlap / size == pytest.approx(depth, abs=1e-9)


def test_what_sticks_out_a_little_is_not_wholly_inside() -> None:
    ground = polyhedron(8.0 * (CUBE_POINTS - [0.0, 0.0, 0.5]), CUBE_TRIANGLES, "ground")
    found = check(body("cone"), pose(UPRIGHT, (0.1, 0.2, -0.5)), [ground])
    assert found.overlap == pytest.approx(1.5, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.5, -2.0, 1.0)])
def test_how_a_ball_is_turned_does_not_change_how_deep_it_is(turn: tuple[float, float, float]) -> None:
    for depth in (0.01, 0.45):
        found = check(body("small ball"), pose(turn, (0.0, 0.0, 1.3 - depth)), [body("ball")])
        assert abs(found.overlap - depth) < 1e-9


def test_bricks_flush_inside_one_another_overlap_although_nothing_crosses() -> None:
    brick = polyhedron(CUBE_POINTS, CUBE_TRIANGLES, "brick")
    assert check(brick, pose(UPRIGHT, (0.7, 0.0, 0.0)), [brick]).status is Status.INTERFERING_START
    assert check(brick, pose(UPRIGHT, (1.0, 0.0, 0.0)), [brick]).status is not Status.INTERFERING_START


def test_what_is_overlapped_is_named_once_and_what_is_only_touched_is_not() -> None:
    parts = [body("slab"), *[replace(body("cube"), name="twin").transformed(shift(0.8 * i)) for i in (-1, 1)]]
    found = check(body("cube"), pose(UPRIGHT, (0.0, 0.0, 0.5)), parts)
    assert found.overlapped == ("twin",)
    assert '"twin"' in found.message
    assert check(body("cube"), pose(UPRIGHT, (0.0, 0.0, 0.5)), parts[:1]).overlapped == ()


def test_a_body_without_weight_that_interferes_is_reported_too() -> None:
    pull = Connection(np.zeros(3), np.zeros(3))
    placement = Placement(body("cube"), pose(), [body("ball")], Settings(gravity=None), [pull])
    assert placement.certificate().overlapped == (body("ball").name,)


def test_a_certificate_finds_the_depth_that_a_check_finds() -> None:
    """Also of a state whose interface points do not show it."""
    ball, start = sphere(0.5).body, Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.6]))
    placement = Placement(ball, start, [floor()])
    placement.run()
    sunk = placement.state.system.displaced(np.array([0.0, 0.0, -0.02, 0.0, 0.0, 0.0]))
    placement.go_on_from(replace(placement.state, system=sunk, local_points=InterfacePoints.none()))
    certificate = placement.certificate()
    assert certificate.overlap == check(ball, placement.state.pose, [floor()]).overlap
    assert abs(certificate.overlap - 0.01) < 1e-6


def test_of_several_bodies_each_pair_that_overlaps_is_found_once_and_in_slices(
    rng: np.random.Generator,
) -> None:
    few = (25, 13)  # lines of the tessellation
    ball, ring = exact(kinds.sphere(1.0), "ball", few), exact(kinds.torus(1.0, 0.3), "ring", few)
    bodies = [body("cube"), ball, ring, replace(body("cube"), name="twin")]
    poses = [pose(rng.normal(size=3), rng.normal(size=3)) for _ in bodies]
    world = [body("slab")]
    slices, found = 0, overlapping(bodies, poses, world, 1e-6)
    while True:
        try:
            next(found)
            slices += 1
        except StopIteration as end:
            overlaps = end.value
            break
    assert slices == len(bodies)
    alone = set()
    for i, one in enumerate(bodies):
        still = [other.transformed(at.matrix4) for other, at in zip(bodies[:i], poses[:i], strict=True)]
        for other in [*still, *world]:
            report = check(one, poses[i], [other])
            if report.overlapped:
                alone.add((one.name, other.name))
                depth = next(o.depth for o in overlaps if {*o.names} == {one.name, other.name})
                assert depth == pytest.approx(report.overlap, rel=2e-3)
    assert {frozenset(overlap.names) for overlap in overlaps} == {frozenset(names) for names in alone}
    assert len(overlaps) == len(alone) > 3
