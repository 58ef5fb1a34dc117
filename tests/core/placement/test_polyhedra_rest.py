"""Polyhedra on a floor and on each other: on faces, metastable on edges, tipping over where nothing carries
them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.placement import Placement, Settings, Status
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import Paired, box, cuboid, floor, table
from tests.core.placement.drops import Run, drop, run
from tests.oracles.balance import over_support
from tests.oracles.frames import random_rotation, rotation_of
from tests.oracles.shapes import Polyhedron
from tests.oracles.soups import Soup, deepest_crossing

CUBE = box()
ON_EDGE = rotation_of([np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0])


def assert_never_through(finished: Run, world: Body) -> None:
    own, standing = Soup.of(finished.paired.body.triangles), Soup.of(world.triangles)
    for pose in zip(finished.rotations, finished.positions, strict=True):
        assert deepest_crossing(own.moved(*pose), standing) <= 1e-9 * finished.radius, finished.label


@pytest.mark.slow
def test_a_cube_dropped_tilted_ends_on_a_face() -> None:
    random = np.random.default_rng(7)
    for _ in range(6):
        finished = drop(CUBE, random_rotation(random))
        assert finished.certificate.status is Status.BALANCED
        assert finished.certificate.stable
        assert finished.rest().tilt <= 1e-6
        assert abs(finished.height - 0.5) <= 2e-6 * finished.radius
        assert finished.clearances().min() >= -1e-9 * finished.radius


def test_a_cube_on_its_edge_is_reported_metastable() -> None:
    finished = drop(CUBE, ON_EDGE, gap=0.0)
    assert finished.certificate.status is Status.BALANCED
    assert not finished.certificate.stable


@pytest.mark.slow
def test_a_cube_falls_on_a_smaller_one_and_on_past_it() -> None:
    block = polyhedron(*cuboid([0, 0, 0.25], [0.4, 0.4, 0.25]), "block")
    world = [floor(), block]
    for offset in (0.2, 0.7):
        pose = Pose(np.array([0.95, 0.2, 0.1, 0.2]), np.array([offset, 0.1, 1.6]))
        finished = run(CUBE, pose, world)
        assert finished.certificate.status in (Status.BALANCED, Status.AT_ENERGY_MINIMUM)
        assert_never_through(finished, block)
        assert finished.clearances().min() >= -1e-9 * finished.radius


@pytest.mark.slow
@pytest.mark.parametrize(("outside", "falls"), [(0.01, True), (-0.01, False)])
def test_a_table_falls_over_when_its_centre_is_outside_its_feet(outside: float, falls: bool) -> None:
    points, triangles = table(width=1.0, foot=0.1)
    centre = np.array([0.5 * (1 + outside), 0.0, 0.6])
    body = polyhedron(points, triangles, "table")
    body = replace(body, mass=replace(body.mass, center=centre))
    heavy = Paired("table", lambda: body, lambda: Polyhedron(points, centre))
    finished = drop(heavy, np.eye(3), gap=0.1)
    assert finished.certificate.status is Status.BALANCED
    contacts = finished.certificate.contacts
    assert np.all(contacts.force >= 0)
    assert over_support(contacts.position[contacts.force > 0], finished.centre_of_mass)
    upright = finished.rotations[-1][2, 2]
    assert (upright < 0.9) if falls else (upright > 1 - 1e-9)


def test_an_open_self_cutting_mesh_comes_to_rest() -> None:
    points, triangles = crumpled_sheet()
    body = polyhedron(points, triangles, "sheet")
    sheet = Paired("sheet", lambda: body, lambda: Polyhedron(points, body.mass.center))
    finished = drop(sheet, rotation_of([0.8, 0.3, -0.4, 0.2]))
    assert finished.certificate.status in (Status.BALANCED, Status.AT_ENERGY_MINIMUM)
    assert finished.rest().tilt <= 1e-5
    assert finished.clearances().min() >= -1e-9 * finished.radius


def crumpled_sheet() -> tuple[np.ndarray, np.ndarray]:
    """An open sheet that passes through itself: two crossed wavy strips sharing no points."""
    u, v = np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-0.5, 0.5, 5), indexing="ij")
    strip = np.stack([u, v, 0.2 * np.sin(3 * u) * np.cos(2 * v)], axis=-1).reshape(-1, 3)
    i = (np.arange(8)[:, None] * 5 + np.arange(4)).ravel()
    triangles = np.concatenate([np.stack([i, i + 5, i + 6], 1), np.stack([i, i + 6, i + 1], 1)])
    turned = strip[:, [1, 0, 2]] * [1, 1, -1] + [0, 0.1, 0.1]
    return np.concatenate([strip, turned]), np.concatenate([triangles, triangles + len(strip)])


def test_a_single_triangle_lands_flat() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    body = polyhedron(points, np.array([[0, 1, 2]]), "triangle")
    pose = Pose(np.array([0.9, 0.3, 0.2, 0.1]), np.array([0, 0, 2.0]))
    certificate = (placement := Placement(body, pose, [floor()], Settings())).run()
    assert certificate.status in (Status.BALANCED, Status.AT_ENERGY_MINIMUM)
    heights = placement.states[-1].pose.points(points)[:, 2]
    assert np.ptp(heights) <= 1e-6
    assert heights.min() >= -1e-9
