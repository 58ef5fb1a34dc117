"""Blobs and open sheets move as other bodies do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, exact, polyhedron
from physplace_addon.core.bodies.implicit_solid import blob_body
from physplace_addon.core.dynamics.events import EventKind
from physplace_addon.core.dynamics.scene import HOLD
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.dynamics.state import SimulationStatus
from physplace_addon.core.rigid import Pose, quaternion_exponential
from physplace_addon.core.surfaces.formula.bodies import formula
from tests.bodies_of_the_paper import sphere
from tests.core import polygon_meshes
from tests.core.bodies import blob_bodies
from tests.core.placement.household import triangles

from .scenes import GRAVITY, block, floor, simulation, standing


def rises(made: Simulation) -> float:
    """The largest rise of the energy in a step, over the weight times the radius."""
    energies = np.array([state.energy for state in made.states])
    scale = GRAVITY * float((made.scene.inertia.mass * made.scene.inertia.radius).max())
    return float(np.diff(energies).max() / scale)


def turned(turn: Floats | list[float], *place: float) -> Pose:
    return Pose(quaternion_exponential(np.array(turn)), np.array(place))


def blob() -> Body:
    return blob_body(blob_bodies.ball_of(), "blob")


def mesh(polygons: polygon_meshes.Mesh, name: str) -> Body:
    return polyhedron(*triangles(polygons), name)


def shell() -> Body:
    """The lower half of a sphere of radius 1, without a thickness, as an exact surface."""
    return exact(
        formula(
            {
                "x": "cos(u)*sin(v)",
                "y": "sin(u)*sin(v)",
                "z": "-cos(v)",
                "u": "0, 2pi, periodic",
                "v": "0, pi/2",
            }
        ),
        "shell",
    )


def lowest(body: Body, made: Simulation, number: int = 0) -> float:
    return float(made.scene.poses(made.state.motion)[number].points(body.vertices)[:, 2].min())


def test_a_round_blob_rolls_as_a_ball_does() -> None:
    radius = blob_bodies.RADIUS
    down = GRAVITY * np.array([np.sin(0.2), 0.0, -np.cos(0.2)])
    made = simulation([blob()], [turned([0, 0, 0], 0.0, 0.0, radius + HOLD)], [floor()], gravity=down)
    made.run(0.2)
    speed_up = 5.0 / 7.0 * GRAVITY * np.sin(0.2)
    assert made.state.motion.centre[0, 0] == pytest.approx(0.02 * speed_up, rel=1e-5)
    assert made.state.motion.spin[0, 1] == pytest.approx(0.2 * speed_up / radius, rel=1e-5)


@pytest.mark.parametrize("name", ["lump", "ring"])
def test_a_blob_with_hollows_falls_on_the_floor_without_gaining_energy(name: str) -> None:
    body = blob_bodies.lump() if name == "lump" else blob_bodies.ring()
    made = simulation([body], [turned([0.3, 0.2, 0.0], 0.0, 0.0, 1.6)], [floor()], restitution=0.2)
    nearest = np.inf
    while made.state.time < 0.5:
        made.step()
        nearest = min(nearest, float(made.moment.points.gap.min(initial=np.inf)))
    assert [event for state in made.states for event in state.events if event.kind is EventKind.COLLISION]
    assert 0.1 * made.scene.hold < nearest < 3.0 * made.scene.hold
    assert rises(made) < 1e-5


def test_a_thin_half_shell_rocks_in_its_period() -> None:
    """Its centre of mass is half a radius below the middle: 1/2 I(a) a'^2 = m g / 2 (cos a - cos a0)."""
    body, start = shell(), 0.4
    made = simulation([body], [turned([0.0, start, 0.0], 0.0, 0.0, 1.0 + HOLD)], [floor()], friction=1.0)

    def seconds(x: float) -> float:
        """The time for each part of x, with sin(a / 2) = sin(a0 / 2) sin x."""
        half = np.sin(0.5 * start)
        a = 2.0 * np.arcsin(half * np.sin(x))
        inertia = 5.0 / 12.0 + 1.25 - np.cos(a)  # about the centre of mass, and on its way about the contact
        return float(np.sqrt(inertia / (0.5 * GRAVITY)) / np.cos(0.5 * a))

    expected = quad(seconds, 0.0, 0.5 * np.pi)[0]
    while made.state.motion.rotation[0, 2] > 0.0:
        made.step()
    before, after = made.states[-2:]
    share = before.motion.rotation[0, 2] / (before.motion.rotation[0, 2] - after.motion.rotation[0, 2])
    quarter = before.time + share * (after.time - before.time)
    assert quarter == pytest.approx(expected, rel=1e-3)
    assert rises(made) < 1e-6


@pytest.mark.parametrize("side", [1.0, -1.0], ids=["front", "back"])
def test_a_ball_bounces_on_both_sides_of_an_open_sheet(side: float) -> None:
    ball, sheet = sphere(0.3).body, mesh(polygon_meshes.grid(), "sheet")
    down = np.array([0.0, 0.0, -side * GRAVITY])
    made = simulation(
        [ball], [turned([0, 0, 0], 0.1, 0.05, side * 0.5)], [sheet], gravity=down, restitution=0.5
    )
    while not any(event.kind is EventKind.COLLISION for event in made.step().events):
        assert made.state.time < 0.3
    (hit,) = made.state.events[:1]
    assert hit.speed == pytest.approx(np.sqrt(2.0 * GRAVITY * 0.2), rel=1e-4)
    made.run(1.2)
    assert made.status is SimulationStatus.AT_REST
    assert side * made.state.motion.centre[0, 2] == pytest.approx(0.3, abs=2.0 * HOLD)


def test_open_sheets_that_are_fast_do_not_pass_through_each_other() -> None:
    body = mesh(polygon_meshes.plane(), "sheet")
    poses = [turned([0.1, 0.0, 0.0], 0.0, 0.0, 0.0), turned([0.0, 0.1, 0.3], 0.2, 0.1, 0.5)]
    velocity = np.array([[0.0, 0.0, 60.0], [0.0, 0.0, -60.0]])
    made = simulation([body, body], poses, [], gravity=np.zeros(3), velocity=velocity, restitution=0.5)
    made.run(0.02)
    assert any(event.kind is EventKind.COLLISION for state in made.states for event in state.events)
    assert made.state.motion.centre[1, 2] > made.state.motion.centre[0, 2]
    assert rises(made) < 1e-6


@pytest.mark.parametrize(
    ("turn", "height"), [([0.0, 0.0, 0.0], 0.3), ([0.4, 0.2, 0.0], 1.0)], ids=["level", "tilted"]
)
def test_an_open_sheet_falls_flat_and_comes_to_rest(turn: list[float], height: float) -> None:
    body = mesh(polygon_meshes.plane(), "sheet")
    made = simulation([body], [turned(turn, 0.0, 0.0, height)], [floor()])
    made.run(2.0)
    assert made.status is SimulationStatus.AT_REST
    assert 0.0 < lowest(body, made) < 2.0 * HOLD * body.radius
    assert made.state.motion.centre[0, 2] < 2.0 * HOLD * body.radius
    assert rises(made) < 1e-9


def test_a_block_slides_to_rest_in_a_half_shell_that_moves() -> None:
    half = [(0.0, -1.0), *((np.sin(a), -np.cos(a)) for a in np.linspace(0.0, 0.5 * np.pi, 7)[1:])]
    bowl, cube = mesh(polygon_meshes.lathe(half, 24), "bowl"), block(0.3, 0.3, 0.3)
    poses = [standing(bowl), turned([0.3, 0.2, 0.0], 0.2, 0.0, 0.8)]
    made = simulation([bowl, cube], poses, [floor()])
    while made.state.time < 1.0:
        made.step()
    centres = made.state.motion.centre
    middle = made.scene.poses(made.state.motion)[0].points(np.zeros((1, 3)))[0]
    corners = made.scene.poses(made.state.motion)[1].points(cube.vertices)
    assert np.linalg.norm(corners - middle, axis=1).max() < 1.0, "it is in the bowl"
    assert centres[1, 2] < 0.5
    assert rises(made) < 1e-6
