"""How far bodies may go on curved paths, beside dense sampling of the paths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import Body, exact, polyhedron
from physplace_addon.core.collision import closest_on_segments, closest_on_triangle
from physplace_addon.core.collision.rigid_paths import approaches
from physplace_addon.core.contact.many_pairs.motion_stops import MotionStops, motion_stops
from physplace_addon.core.contact.many_pairs.path_pairs import RigidPaths
from physplace_addon.core.contact.points.interface_points import FIXED
from physplace_addon.core.contact.system import ContactSystem
from physplace_addon.core.rigid import Pose, rotation_matrix
from physplace_addon.core.surfaces import kinds
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES, torus

GAP = 1e-5
SIDES = np.array([[0, 1], [1, 2], [2, 0]])


def block(*sizes: float) -> Body:
    """A block with its centre at the origin."""
    return polyhedron(CUBE_POINTS * sizes, CUBE_TRIANGLES, "block")


def hull(rng: np.random.Generator, count: int) -> Body:
    """A random convex polyhedron."""
    points = rng.normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    return polyhedron(points, ConvexHull(points).simplices, "hull")


def dented(rng: np.random.Generator) -> Body:
    """A cube with a dent in every side."""
    middle = CUBE_POINTS[CUBE_TRIANGLES].mean(axis=1)
    points = np.concatenate([CUBE_POINTS, middle * rng.uniform(0.2, 0.9, len(middle))[:, None]])
    a, b, c = CUBE_TRIANGLES.T
    top = 8 + np.arange(len(CUBE_TRIANGLES))
    fans = [np.stack([a, b, top], axis=1), np.stack([b, c, top], axis=1), np.stack([c, a, top], axis=1)]
    return polyhedron(points, np.concatenate(fans), "dented")


def at(place: ArrayLike, turn: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
    return Pose.identity().displaced(place, turn, np.zeros(3))


def paths(shift: ArrayLike, turn: ArrayLike | None = None, bend: ArrayLike | None = None) -> RigidPaths:
    still = np.zeros_like(np.asarray(shift, float))
    parts = [still if each is None else np.asarray(each, float) for each in (shift, bend, turn)]
    return RigidPaths(*parts)


def points_at(system: ContactSystem, moves: RigidPaths, number: int, tau: Floats) -> Floats:
    """All points (n, p, 3) of a body's mesh in the scene, at times (n,)."""
    if number == FIXED:
        assert system.fixed is not None
        return np.repeat(system.fixed.body.points[None], tau.size, axis=0)
    pose, centre = system.poses[number], system.centres[number]
    arms = pose.points(system.bodies[number].body.points) - centre
    turn = rotation_matrix(tau[:, None] * moves.turn[number])
    place = centre + tau[:, None] * moves.shift[number] + (tau * (tau - 1.0))[:, None] * moves.bend[number]
    turned: Floats = np.einsum("nij,pj->npi", turn, arms) + place[:, None]
    return turned


def mesh_of(system: ContactSystem, number: int) -> tuple[Ints, Ints]:
    """The triangles (t, 3) and the edges (e, 2) of a body's mesh, as numbers of its points."""
    prepared = system.fixed if number == FIXED else system.bodies[number]
    assert prepared is not None
    corners = prepared.body.triangle_corners
    return corners, np.unique(np.sort(corners[:, SIDES].reshape(-1, 2), axis=1), axis=0)


def distances(system: ContactSystem, moves: RigidPaths, pair: tuple[int, int], tau: Floats) -> Floats:
    """The distances (n,) of two bodies' meshes at times (n,)."""
    (t1, e1), (t2, e2) = (mesh_of(system, number) for number in pair)
    parts = []
    for some in np.array_split(tau, max(1, tau.size * len(e1) * len(e2) // 200_000)):
        p, q = (points_at(system, moves, number, some) for number in pair)
        over = np.minimum(to_triangles(p, q[:, t2]), to_triangles(q, p[:, t1]))
        parts.append(np.minimum(over, between_edges(p[:, e1], q[:, e2])))
    return np.concatenate(parts)


def to_triangles(points: Floats, triangles: Floats) -> Floats:
    """The least distances (n,) of points (n, p, 3) from triangles (n, t, 3, 3)."""
    shape = (*points.shape[:2], triangles.shape[1])
    every = np.broadcast_to(points[:, :, None], (*shape, 3)).reshape(-1, 3)
    over = np.broadcast_to(triangles[:, None], (*shape, 3, 3)).reshape(-1, 3, 3)
    closest = (closest_on_triangle(every, over).barycentric[:, None] @ over)[:, 0]
    least: Floats = np.linalg.norm(every - closest, axis=1).reshape(len(points), -1).min(axis=1)
    return least


def between_edges(first: Floats, second: Floats) -> Floats:
    """The least distances (n,) of segments (n, a, 2, 3) and (n, b, 2, 3)."""
    shape = (*first.shape[:2], second.shape[1], 2, 3)
    one = np.broadcast_to(first[:, :, None], shape).reshape(-1, 2, 3)
    other = np.broadcast_to(second[:, None], shape).reshape(-1, 2, 3)
    near = closest_on_segments(one, other)
    here = one[:, 0] + near.s[:, None] * (one[:, 1] - one[:, 0])
    there = other[:, 0] + near.t[:, None] * (other[:, 1] - other[:, 0])
    least: Floats = np.linalg.norm(here - there, axis=1).reshape(len(first), -1).min(axis=1)
    return least


def time_of(stops: MotionStops, pair: tuple[int, int]) -> float:
    rows = np.flatnonzero((stops.bodies == pair).all(axis=1))
    return float(stops.times[rows[0]]) if rows.size else 1.0


def assert_stops(
    system: ContactSystem,
    moves: RigidPaths,
    gap: float,
    pairs: Sequence[tuple[int, int]],
    samples: int = 2000,
) -> list[float]:
    """Assert that pairs stop where sampling says, and return their times.

    Up to the stop they are farther apart than the stop distance, and a thousandth of the path later, nearer.
    """
    stops = motion_stops(system, moves, gap)
    assert not len(stops.curved)
    assert {tuple(pair) for pair in stops.bodies.tolist()} <= set(pairs)
    times = []
    for pair in pairs:
        time = time_of(stops, pair)
        start = distances(system, moves, pair, np.zeros(1))[0]
        stop = 0.4 * start if start < gap else 0.5 * gap
        before = distances(system, moves, pair, np.linspace(0.0, time, samples))
        rounding = 1e-14 * float(np.abs(system.boxes).max())
        assert (before > stop - rounding).all()
        if time < 1.0:
            later = distances(system, moves, pair, np.linspace(time, time + 1e-3, 11))
            assert later.min() < stop + rounding
        times.append(time)
    return times


def random_pair(rng: np.random.Generator, apart: float = 2.4) -> tuple[ContactSystem, RigidPaths]:
    """Two bodies apart, turned at random, on random paths that mostly meet."""
    bodies = [dented(rng) if rng.integers(2) else hull(rng, 8) for _ in range(2)]
    away = rng.normal(size=3)
    away *= apart / np.linalg.norm(away)
    poses = [at(np.zeros(3), rng.normal(size=3)), at(away, rng.normal(size=3))]
    shift = 0.3 * rng.normal(size=(2, 3))
    shift[1] -= rng.uniform(0.2, 2.0) * away
    turn = rng.normal(size=(2, 3))
    turn *= rng.uniform(0.0, 1.0, (2, 1)) / np.linalg.norm(turn, axis=1)[:, None]
    return ContactSystem.of(bodies, poses, []), paths(shift, turn, 0.3 * rng.normal(size=(2, 3)))


@pytest.mark.parametrize("seed", range(12))
def test_bodies_stop_where_dense_sampling_says(seed: int) -> None:
    assert_stops(*random_pair(np.random.default_rng(seed)), GAP, [(0, 1)], 200)


def test_random_paths_stop_and_pass() -> None:
    """The test before this one sees both."""
    firsts = [motion_stops(*random_pair(np.random.default_rng(seed)), GAP).first for seed in range(20)]
    assert 5 < sum(first < 1.0 for first in firsts) < 20


@pytest.mark.parametrize("seed", range(6))
def test_bodies_stop_before_fixed_ones_where_dense_sampling_says(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    moving, moves = random_pair(rng)
    system = ContactSystem.of([moving.bodies[1].body], [moving.poses[1]], [dented(rng)])
    moves = RigidPaths(*(each[1:] for each in (moves.shift, moves.bend, moves.turn)))
    assert_stops(system, moves, GAP, [(0, FIXED)], 200)


@pytest.mark.parametrize("seed", range(8))
def test_what_starts_below_the_gap_stops_at_a_share_of_its_distance(seed: int) -> None:
    """A second path from where a first one stopped, in another direction."""
    rng = np.random.default_rng(seed)
    system, moves = random_pair(rng)
    tau = motion_stops(system, moves, GAP).first
    place = system.centres + tau * moves.shift + tau * (tau - 1.0) * moves.bend - system.centres
    poses = [
        pose.displaced(shift, tau * turn, centre)
        for pose, shift, turn, centre in zip(system.poses, place, moves.turn, system.centres, strict=True)
    ]
    then = paths(0.1 * rng.normal(size=(2, 3)), 0.1 * rng.normal(size=(2, 3)))
    assert_stops(system.at(poses), then, GAP, [(0, 1)], 150)


def test_the_time_of_a_head_on_impact_is_exact() -> None:
    """A tilted cube falls on its corner: the parabola's root in closed form."""
    cube, floor = block(1.0, 1.0, 1.0), block(9.0, 9.0, 1.0)
    pose = at((0.1, 0.2, 2.0), (0.5, 0.4, 0.3))
    system = ContactSystem.of([cube], [pose], [floor])
    height = pose.points(cube.vertices)[:, 2].min() - 0.5 - 0.5 * GAP
    moves = paths([[0.2, 0.1, -1.0]], bend=[[0.0, 0.0, -0.5]])  # starts upwards: z' = -1 + 0.5 at tau = 0
    tau = motion_stops(system, moves, GAP).first
    slope, bend = -1.0 + 0.5, -0.5
    root = (-slope - np.sqrt(slope * slope - 4.0 * bend * height)) / (2.0 * bend)
    assert abs(tau - root) < 1e-9


def test_a_thin_plate_does_not_jump_through_another() -> None:
    plate = block(1.0, 1.0, 1e-3)
    system = ContactSystem.of([plate, plate], [at((0, 0, 0)), at((0.2, 0.1, 0.5))], [])
    stops = motion_stops(system, paths([[0.0, 0.0, 40.0], [0.0, 0.0, -60.0]]), GAP)
    assert abs(stops.first - (0.5 - 1e-3 - 0.5 * GAP) / 100.0) < 1e-9
    assert stops.bodies.tolist() == [[0, 1]]


def test_a_thin_plate_turned_by_flight_meets_another() -> None:
    plate = block(1.0, 1.0, 1e-3)
    system = ContactSystem.of([plate, plate], [at((0, 0, 0)), at((0.2, 0.1, 1.0), (0.4, 0.1, 0.0))], [])
    moves = paths([[0.0, 0.0, 2.0], [0.0, 0.0, -3.0]], [[0.3, 0.9, 0.1], [-0.8, 0.2, 0.3]])
    (tau,) = assert_stops(system, moves, GAP, [(0, 1)])
    assert tau < 0.3


def test_two_rods_that_cross_meet_by_rotation_alone() -> None:
    """Edge meets edge, far from all corners."""
    rod = block(4.0, 0.1, 0.1)
    first, second = at((0, 0, 0), (0.25 * np.pi, 0, 0)), at((1.2, 0, 0.3), (0, 0, 0.5 * np.pi))
    system = ContactSystem.of([rod, rod], [first, second], [])
    moves = paths(np.zeros((2, 3)), [[0.0, -0.3, 0.0], [0.0, 0.1, 0.0]])
    (tau,) = assert_stops(system, moves, GAP, [(0, 1)])
    assert 0.3 < tau < 0.9


def hilly(count: int, rise: float) -> Body:
    """A closed sheet of count by count quadrilaterals over the unit square, with hills on it."""
    x, y = (each.ravel() for each in np.meshgrid(*[np.linspace(-0.5, 0.5, count + 1)] * 2, indexing="ij"))
    top = np.stack([x, y, rise * np.cos(9.0 * x) * np.cos(7.0 * y)], axis=1)
    bottom = np.stack([x, y, np.full(x.size, -0.5)], axis=1)
    i, j = (each.ravel() for each in np.indices((count, count)))
    a, b, c, d = ((i + p) * (count + 1) + j + q for p, q in ((0, 0), (1, 0), (1, 1), (0, 1)))
    up = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return polyhedron(np.concatenate([top, bottom]), np.concatenate([up, up[:, ::-1] + x.size]), "hilly")


def test_a_vertex_slides_over_a_fine_flat_mesh_at_the_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """It passes dozens of triangles with hardly any slope, and needs a few steps."""
    ground = hilly(40, 3e-7)
    cube = block(0.2, 0.2, 0.2)
    turned = at((0, 0, 0), (0.5, 0.4, 0.3))
    low = turned.points(cube.vertices)[:, 2].min()
    for gap in (1e-5, 0.4e-5):
        system = ContactSystem.of([cube], [at((-0.3, -0.2, gap - low), (0.5, 0.4, 0.3))], [ground])
        steps = counted_steps(monkeypatch)
        stops = motion_stops(system, paths([[0.5, 0.3, 0.0]], [[0.0, 0.0, 0.3]]), GAP)
        assert stops.first == 1.0
        assert len(steps) < 20


def counted_steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by one item with every step of all pairs."""
    steps: list[int] = []
    original = approaches._Search.advanced

    def advanced(self: approaches._Search, first: Floats) -> approaches._Search:
        steps.append(len(self))
        return original(self, first)

    monkeypatch.setattr(approaches._Search, "advanced", advanced)
    return steps


def test_what_recedes_passes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    cube = block(1.0, 1.0, 1.0)
    system = ContactSystem.of([cube, cube], [at((0, 0, 0)), at((0.2, 0.1, 1.0 + 1e-7))], [])
    steps = counted_steps(monkeypatch)
    assert motion_stops(system, paths([[0.0, 0.0, 0.0], [0.0, 0.0, 0.5]]), GAP).first == 1.0
    assert len(steps) <= 2


def ring(nu: int, nv: int) -> Body:
    points, triangles = torus(nu, nv)
    return polyhedron(points / 3.0, triangles, "ring")


@pytest.mark.parametrize("seed", range(3))
def test_a_ring_that_turns_in_another_stops_where_dense_sampling_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    link = polyhedron(ring(12, 6).points * [1.0, 1.0, 0.5], ring(12, 6).triangle_corners, "link")
    poses = [at((0, 0, 0)), at((1.15, 0, 0), (0.5 * np.pi, 0, 0))]
    system = ContactSystem.of([link, link], poses, [])
    moves = paths(0.2 * rng.normal(size=(2, 3)), 0.5 * rng.normal(size=(2, 3)))
    assert_stops(system, moves, GAP, [(0, 1)], 40)


@pytest.mark.parametrize("scale", [1e-3, 1e2])
@pytest.mark.parametrize("seed", range(3))
def test_times_do_not_depend_on_the_scale(seed: int, scale: float) -> None:
    system, moves = random_pair(np.random.default_rng(seed))
    bodies = [
        polyhedron(scale * body.body.points, body.body.triangle_corners, "scaled") for body in system.bodies
    ]
    poses = [Pose(pose.rotation, scale * pose.translation) for pose in system.poses]
    scaled = ContactSystem.of(bodies, poses, [])
    then = RigidPaths(scale * moves.shift, scale * moves.bend, moves.turn)
    tau = motion_stops(system, moves, GAP).first
    assert abs(motion_stops(scaled, then, scale * GAP).first - tau) < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_times_far_from_the_origin_are_those_near_it(seed: int) -> None:
    system, moves = random_pair(np.random.default_rng(seed))
    far = np.array([1e4, -2e4, 1.5e4])
    poses = [Pose(pose.rotation, pose.translation + far) for pose in system.poses]
    tau = motion_stops(system, moves, GAP).first
    moved = system.at(poses)
    assert abs(motion_stops(moved, moves, GAP).first - tau) < 1e-9
    ground = system.bodies[0].body.transformed(moved.poses[0].matrix4)
    alone = ContactSystem.of([system.bodies[1].body], poses[1:], [ground])
    still = RigidPaths(*(each[1:] for each in (moves.shift, moves.bend, moves.turn)))
    assert_stops(alone, still, GAP, [(0, FIXED)], 100)


def test_nothing_to_meet_never_stops() -> None:
    cube, none = block(1.0, 1.0, 1.0), paths(np.zeros((0, 3)))
    one = paths([[1.0, 2.0, 3.0]], [[0.1, 0.2, 0.3]])
    for system, moves in (
        (ContactSystem.of([], [], [cube]), none),
        (ContactSystem.of([], [], []), none),
        (ContactSystem.of([cube], [at((0, 0, 0))], []), one),
        (ContactSystem.of([cube], [at((9, 9, 9))], [cube]), one),
        (ContactSystem.of([cube] * 2, [at((0, 0, 0)), at((0, 0, 1.1))], [cube]), paths(np.zeros((2, 3)))),
    ):
        stops = motion_stops(system, moves, GAP)
        assert stops.first == 1.0
        assert stops.bodies.shape == stops.curved.shape == stops.triangles.shape == (0, 2)
        assert stops.stopped_first(1e-9).shape == (0, 2)


def test_each_pair_has_its_own_time() -> None:
    cube = block(1.0, 1.0, 1.0)
    places = [(0, 0, 0), (0, 0, 1.5), (5, 0, 0), (5, 0, 1.3), (5, 5, 0), (5, 5, 4.0)]
    system = ContactSystem.of([cube] * 6, [at(place) for place in places], [])
    stops = motion_stops(system, paths([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0]] * 3), GAP)
    assert stops.bodies.tolist() == [[0, 1], [2, 3]]
    np.testing.assert_allclose(stops.times, [0.5 - 0.5 * GAP, 0.3 - 0.5 * GAP], atol=1e-9)
    assert stops.stopped_first(1e-6).tolist() == [[2, 3]]


def test_bodies_that_touch_at_the_start_stop_there() -> None:
    cube = block(1.0, 1.0, 1.0)
    system = ContactSystem.of([cube] * 2, [at((0, 0, 0)), at((0.2, 0.1, 1.0))], [])
    assert motion_stops(system, paths([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0]]), GAP).times.tolist() == [0.0]


def test_flat_ends_of_curved_bodies_stop() -> None:
    """A cube that falls with a corner on the flat end of a cylinder, far from its rim."""
    cylinder, cube = exact(kinds.cylinder(2.0, 1.0), "cylinder"), block(0.5, 0.5, 0.5)
    pose = at((0.1, 0.2, 1.5), (0.5, 0.4, 0.3))
    height = pose.points(cube.vertices)[:, 2].min() - 0.5 - 0.5 * GAP
    stops = motion_stops(ContactSystem.of([cube], [pose], [cylinder]), paths([[0.0, 0.0, -1.0]]), GAP)
    assert stops.bodies.tolist() == [[0, FIXED]]
    assert abs(stops.first - height) < 1e-9
