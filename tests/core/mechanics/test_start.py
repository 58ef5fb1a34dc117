"""A start free of overlap is left alone, one that rounding explains is lifted, any deeper one is refused."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from physplace_addon.core.bodies import exact, merge, polyhedron
from physplace_addon.core.contact.system import ContactSystem, InterfacePoints, Reach, closest_boundary_point
from physplace_addon.core.mechanics.start import clear_start, contained
from physplace_addon.core.mesh.inside import winding_number
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces.analytic import swept
from tests.core.contact.body_pairs import as_system, body, meet, pose
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES

STANDING = {"ball": 1.0, "torus": 0.3, "cylinder": 1.0, "cone": 1.0, "cube": 0.5, "ellipsoid": 0.8}
UPRIGHT = (0.0, 0.0, 0.0)

each_body = pytest.mark.parametrize("name", STANDING)


def cleared(
    name: str, world: str, depth: float, tolerance: float, turn: ArrayLike = UPRIGHT
) -> tuple[ContactSystem, tuple[ContactSystem, InterfacePoints] | None]:
    """What becomes of a body sunk into a floor by `depth` (a length)."""
    system = as_system(meet(name, world, turn, (0.1, 0.2, STANDING[name] - depth)))
    return system, clear_start(system, Reach(0.05, 0.05, 0.05), tolerance)


@each_body
@pytest.mark.parametrize("world", ["slab", "plane"])
def test_a_body_clear_of_the_floor_is_left_where_it_is(name: str, world: str) -> None:
    system, found = cleared(name, world, -1e-3, 1e-6)
    assert found is not None
    assert found[0].poses is system.poses
    assert abs(found[1].gap.min() - 1e-3) < 1e-9


@each_body
@pytest.mark.parametrize("world", ["slab", "plane"])
@pytest.mark.parametrize("depth", [1e-8, 1e-6])
def test_an_overlap_of_rounding_is_lifted(name: str, world: str, depth: float) -> None:
    system, found = cleared(name, world, depth * STANDING[name], 10.0 * depth)
    assert found is not None
    lifted, points = found
    lift = lifted.poses[0].translation - system.poses[0].translation
    assert points.gap.min() >= -1e-11 * lifted.radius
    assert abs(lift[2] - depth * STANDING[name]) < 1e-9
    assert np.abs(lift[:2]).max() < 2.0 * depth


@each_body
@pytest.mark.parametrize("world", ["slab", "plane"])
@pytest.mark.parametrize("depth", [1e-5, 0.02])
def test_a_deeper_overlap_is_refused(name: str, world: str, depth: float) -> None:
    assert cleared(name, world, depth, 1e-6)[1] is None


def test_a_body_inside_another_is_refused_however_far_the_surfaces_are() -> None:
    big = polyhedron(10.0 * CUBE_POINTS, CUBE_TRIANGLES, "big")
    body_pair = meet("ball", big)
    assert contained(body_pair, [big])
    assert clear_start(as_system(body_pair), Reach(0.1, 0.1, 0.1), 1e-6) is None
    around = meet(big, "ball")
    assert contained(around, [body("ball")])


def test_a_body_beside_another_is_not_inside_it() -> None:
    body_pair = meet("cube", "ball", at=(0.0, 0.0, 1.6))
    assert not contained(body_pair, [body("ball")])


def test_a_ball_inside_the_hole_of_a_torus_is_not_inside_the_torus() -> None:
    assert not contained(meet("small ball", "torus"), [body("torus")])
    assert contained(meet("small ball", "torus", at=(1.0, 0.0, 0.0)), [body("torus")]) is False
    tiny = body("small ball").transformed(np.diag([0.1, 0.1, 0.1, 1.0]))
    assert contained(meet(tiny, "torus", at=(1.0, 0.0, 0.0)), [body("torus")])


def test_a_loose_part_inside_a_solid_is_seen_though_the_others_are_outside() -> None:
    cube = body("cube")
    two = merge([cube, cube.transformed(pose(at=(5.0, 0.0, 0.0)).matrix4)], "two")
    big = polyhedron(6.0 * CUBE_POINTS, CUBE_TRIANGLES, "big")
    for shift in (0.0, -5.0):  # the first part inside, or the second
        assert contained(meet(two, big, at=(shift, 0.0, 0.0)), [big])
        assert contained(meet(big, two, at=(-shift, 0.0, 0.0)), [two])
    assert not contained(meet(two, big, at=(0.0, 9.0, 0.0)), [big])


def test_a_bead_in_the_cavity_of_a_hollow_box_is_not_inside_it() -> None:
    points = np.concatenate([6.0 * CUBE_POINTS, 4.0 * CUBE_POINTS])
    hollow = polyhedron(points, np.concatenate([CUBE_TRIANGLES, CUBE_TRIANGLES[:, ::-1] + 8]), "hollow")
    assert hollow.closed
    cube = body("cube")
    assert not contained(meet(cube, hollow), [hollow])
    assert not contained(meet(hollow, cube), [cube])
    beads = merge([cube, cube.transformed(pose(at=(9.0, 0.0, 0.0)).matrix4)], "beads")
    assert not contained(meet(beads, hollow), [hollow])
    assert contained(meet(body("small ball"), hollow, at=(2.5, 0.0, 0.0)), [hollow]) is True


def test_of_thousands_of_loose_parts_those_inside_a_solid_are_found_by_rays() -> None:
    """Whatever part it is; the solid angles of all of them would be summed for minutes."""
    places = 2.0 * np.stack(np.meshgrid(*[np.arange(12.0)] * 3), axis=-1).reshape(-1, 3)
    points = (places[:, None] + CUBE_POINTS).reshape(-1, 3)
    triangles = 8 * np.arange(len(places))[:, None, None] + CUBE_TRIANGLES
    many = polyhedron(points, triangles.reshape(-1, 3), "many")
    small = polyhedron(1.5 * CUBE_POINTS, CUBE_TRIANGLES, "block")
    for place in places[[0, 700, -1]]:
        assert contained(meet(many, small, at=-place), [small])
        assert not contained(meet(many, small, at=-place - 1.0), [small])


def test_nothing_is_inside_an_open_sheet() -> None:
    assert not contained(meet("small ball", "plane", at=(0.0, 0.0, 0.0)), [body("plane")])


def test_a_solid_winds_once_around_what_is_inside(rng: np.random.Generator) -> None:
    triangles = CUBE_POINTS[CUBE_TRIANGLES]
    for point in rng.uniform(-1.0, 1.0, (50, 3)):
        inside = np.abs(point).max() < 0.5
        assert abs(winding_number(point, triangles) - inside) < 1e-12
        assert abs(winding_number(point, triangles[:, ::-1]) + inside) < 1e-12


def test_two_nested_solids_wind_twice() -> None:
    triangles = np.concatenate([CUBE_POINTS[CUBE_TRIANGLES], 3.0 * CUBE_POINTS[CUBE_TRIANGLES]])
    assert abs(winding_number(np.array([0.1, 0.2, 0.0]), triangles) - 2.0) < 1e-12
    assert abs(winding_number(np.array([0.9, 0.2, 0.0]), triangles) - 1.0) < 1e-12


def test_over_the_middle_of_a_half_open_box_the_winding_is_its_solid_angle() -> None:
    triangles = CUBE_POINTS[CUBE_TRIANGLES]
    kept = triangles[triangles[:, :, 2].min(axis=1) < 0.5]  # without the lid: a sixth of all directions
    assert abs(winding_number(np.zeros(3), kept) - 5.0 / 6.0) < 1e-12


@pytest.mark.parametrize("sunk", [0.5, 0.01])
def test_a_brick_lowered_into_its_like_side_on_side_is_refused(sunk: float) -> None:
    system = as_system(meet("cube", "cube", at=(0.0, 0.0, 1.0 - sunk)))
    assert clear_start(system, Reach(0.05, 0.05, 0.05), 1e-6) is None


def test_a_brick_flush_on_its_like_is_left_alone() -> None:
    system = as_system(meet("cube", "cube", at=(0.0, 0.0, 1.0 + 1e-9)))
    assert clear_start(system, Reach(0.05, 0.05, 0.05), 1e-6) is not None


@pytest.mark.parametrize("turn", [(0.7, 0.6, 0.0), (0.25 * np.pi, 0.0, 0.0), (0.4, -1.0, 0.8)])
@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("depth", [4e-3, 1e-5, -1e-6])
def test_a_corner_through_an_open_curved_sheet_is_refused(
    turn: ArrayLike, inside: bool, depth: float
) -> None:
    """A cube on either side of a part of a sphere, its lowest corner or edge through it or just off it."""
    angle = np.linspace(0.0, 1.2, 9)
    sheet = exact(swept.revolution(2.0 * np.stack([np.sin(angle), -np.cos(angle)], axis=1)), "sheet")
    outward = np.array([0.3, 0.4, -0.5 * np.sqrt(3.0)])
    on = closest_boundary_point(sheet, 2.0 * outward)
    away = on.normal * np.sign(on.normal @ outward) * (-1.0 if inside else 1.0)
    over = meet("cube", sheet, turn)
    corners = over.pose.points(over.active.body.vertices)
    lowest = corners[(corners @ away).argmin()]
    shifted = over.at(Pose(over.pose.rotation, over.pose.translation + on.point - depth * away - lowest))
    found = clear_start(as_system(shifted), Reach(0.05, 0.05, 0.05), 1e-9)
    if depth > 0.0:
        assert found is None
    elif not inside:  # the hollow side touches the cube elsewhere
        assert found is not None
