"""Figures for tests of linkages: rings, chains, stars, a four-bar linkage."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.articulation import Linkage, universal
from physplace_addon.core.bodies import Body
from physplace_addon.core.bodies.polyhedra import polyhedron
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.mechanics.joints import Anchors, Axis, Joint, ball, hinge, slider
from physplace_addon.core.rigid import Pose, quaternion_from_matrix, quaternion_matrix
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES


@dataclass(frozen=True, eq=False)
class Figure:
    """A linkage and where its parts are."""

    linkage: Linkage
    poses: list[Pose]


def box(size: Sequence[float], name: str = "box") -> Body:
    """A box of edge lengths about its middle."""
    return polyhedron(CUBE_POINTS * np.array(size), CUBE_TRIANGLES, name)


def along(start: Floats, end: Floats) -> Pose:
    """The pose, in the middle between two points, whose axis x goes from one to the other."""
    x = (end - start) / np.linalg.norm(end - start)
    side = np.array([0.0, 0.0, 1.0]) if abs(x[2]) < 0.9 else np.array([0.0, 1.0, 0.0])
    y = np.cross(side, x)
    y /= np.linalg.norm(y)
    return Pose(quaternion_from_matrix(np.stack([x, y, np.cross(x, y)], axis=1)), 0.5 * (start + end))


def rod(length: float, thickness: float = 0.1) -> Body:
    """A rod along its axis x."""
    return box((0.9 * length, thickness * length, thickness * length), "rod")


def at(point: Floats) -> Pose:
    """An anchor frame at a point, its axes those of the scene."""
    return Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.asarray(point, float))


def pin_frame(point: Floats, axis: Floats) -> Pose:
    """An anchor frame at a point whose axis z is given."""
    z = np.asarray(axis, float) / np.linalg.norm(axis)
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return Pose(quaternion_from_matrix(np.stack([x, np.cross(z, x), z], axis=1)), np.asarray(point, float))


def rods_through(points: Floats, closed: bool = False) -> Figure:
    """Rods from point to point, joined by spherical joints."""
    ends = list(pairwise(points)) + ([(points[-1], points[0])] if closed else [])
    body = rod(float(np.linalg.norm(ends[0][1] - ends[0][0])))
    poses = [along(start, end) for start, end in ends]
    count = len(ends)
    pairs = [(i, (i + 1) % count, ends[i][1]) for i in range(count if closed else count - 1)]
    joints = [ball(Anchors.at(f"joint {a}", a, b, at(p), poses)) for a, b, p in pairs]
    return Figure(Linkage.of([body] * count, joints), poses)


def ring(count: int = 19, tilt: bool = False) -> Figure:
    """The paper's ring: bodies, each joined to the next by a spherical joint.

    tilt: no coordinate of it is zero by chance.
    """
    angle = 2.0 * np.pi * (np.arange(count) + 0.3 * tilt) / count
    points = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    if tilt:
        points = points @ quaternion_matrix(np.array([0.8, 0.3, 0.4, np.sqrt(0.11)])).T
    return rods_through(points, closed=True)


def chain(count: int, bend: float = 0.15, scale: float = 1.0) -> Figure:
    """A chain of rods of length 1 times a scale, bent evenly, on a ball joint at the origin."""
    angle = bend * np.arange(count)
    steps = scale * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    points = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    figure = rods_through(points)
    base = ball(Anchors.at("base", FIXED, 0, at(np.zeros(3)), figure.poses))
    return Figure(Linkage.of(figure.linkage.parts, [base, *figure.linkage.joints]), figure.poses)


def star(arms: int, links: int = 1) -> Figure:
    """A hub with arms of rods around it, on spherical joints."""
    poses = [Pose.identity()]
    parts: list[Body] = [box((1.0, 1.0, 1.0), "hub")]
    joints: list[Joint] = []
    piece = rod(1.0)
    for arm in range(arms):
        turn = 2.0 * np.pi * arm / arms
        out = np.array([np.cos(turn), np.sin(turn), 0.0])
        before = 0
        for link in range(links):
            start = (1.0 + link) * out
            poses.append(along(start, start + out))
            parts.append(piece)
            joints.append(
                ball(Anchors.at(f"arm {arm} joint {link}", before, len(poses) - 1, at(start), poses))
            )
            before = len(poses) - 1
    return Figure(Linkage.of(parts, joints), poses)


def pinned_chain(points: Floats, axis: Floats, fixed_end: bool = True, base: bool = True) -> Figure:
    """Rods from point to point on pins about an axis, the first on a pin in the world."""
    ends = list(pairwise(points))
    poses = [along(start, end) for start, end in ends]
    parts = [rod(float(np.linalg.norm(end - start))) for start, end in ends]
    joints = [hinge(Anchors.at("base", FIXED, 0, pin_frame(points[0], axis), poses))] if base else []
    for i in range(len(ends) - 1):
        joints.append(hinge(Anchors.at(f"pin {i}", i, i + 1, pin_frame(ends[i][1], axis), poses)))
    if fixed_end:
        last = len(ends) - 1
        joints.append(hinge(Anchors.at("end", last, FIXED, pin_frame(points[-1], axis), poses)))
    return Figure(Linkage.of(parts, joints), poses)


def four_bar() -> Figure:
    """A crank, a coupler and a rocker between two pivots in the world: a closed loop of four pins."""
    points = np.array([[0.0, 0.0, 0.0], [0.4, 0.0, 0.9], [2.0, 0.0, 1.4], [2.2, 0.0, 0.0]])
    return pinned_chain(points, np.array([0.0, 1.0, 0.0]))


def stewart_platform() -> Figure:
    """A base, a platform, and six legs of two rods each that slide: six closed loops."""
    turn = np.array([0.0, 0.5, 2.1, 2.6, 4.2, 4.7])
    low = np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    high = np.stack([0.6 * np.cos(turn + 0.4), 0.6 * np.sin(turn + 0.4), 1.2 + 0.0 * turn], axis=1)
    parts, poses, joints = [], [], []
    for bottom, top in zip(low, high, strict=True):
        middle = 0.5 * (bottom + top)
        for start, end in ((bottom, middle), (middle, top)):
            poses.append(along(start, end))
            parts.append(rod(float(np.linalg.norm(end - start))))
    poses.append(Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.2])))
    parts.append(box((1.0, 1.0, 0.1), "platform"))
    for leg, (bottom, top) in enumerate(zip(low, high, strict=True)):
        lower, upper, frame = 2 * leg, 2 * leg + 1, along(bottom, top)
        joints.append(ball(Anchors.at(f"foot {leg}", FIXED, lower, at(bottom), poses)))
        joints.append(slider(Anchors.at(f"leg {leg}", lower, upper, frame, poses)))
        joints.append(ball(Anchors.at(f"head {leg}", upper, len(poses) - 1, at(top), poses)))
    return Figure(Linkage.of(parts, joints), poses)


def mixed_chain(rng: np.random.Generator) -> Figure:
    """Four rods along a random path: on a ball joint in the world, a pin, a universal joint, a slider."""
    steps = rng.normal(size=(4, 3))
    steps /= np.linalg.norm(steps, axis=1)[:, None]
    points = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    ends = list(pairwise(points))
    poses = [along(start, end) for start, end in ends]
    frames = [pin_frame(point, rng.normal(size=3)) for point in points]
    cross_joint, cross = universal(Anchors.at("cross", 1, 2, frames[2], poses))
    joints = [
        ball(Anchors.at("base", FIXED, 0, frames[0], poses)),
        hinge(Anchors.at("pin", 0, 1, frames[1], poses)),
        cross_joint,
        slider(Anchors.at("slider", 2, 3, frames[3], poses)),
    ]
    return Figure(Linkage.of([rod(1.0)] * 4, joints, constraints=[cross]), poses)


def person() -> Figure:
    """A standing figure of 16 boxes, 1.7 high: it looks along -y, its feet stand on z = 0."""
    sizes = {
        "pelvis": ((0.30, 0.18, 0.16), (0.0, 0.0, 0.93)),
        "belly": ((0.26, 0.16, 0.20), (0.0, 0.0, 1.09)),
        "chest": ((0.32, 0.20, 0.26), (0.0, 0.0, 1.30)),
        "head": ((0.16, 0.18, 0.22), (0.0, 0.0, 1.59)),
    }
    for side, x in (("left", 1.0), ("right", -1.0)):
        sizes[f"{side} upper arm"] = ((0.09, 0.09, 0.28), (0.23 * x, 0.0, 1.26))
        sizes[f"{side} forearm"] = ((0.07, 0.07, 0.28), (0.23 * x, 0.0, 0.99))
        sizes[f"{side} hand"] = ((0.04, 0.09, 0.18), (0.23 * x, 0.0, 0.78))
        sizes[f"{side} thigh"] = ((0.13, 0.14, 0.44), (0.085 * x, 0.0, 0.64))
        sizes[f"{side} shin"] = ((0.10, 0.10, 0.42), (0.085 * x, 0.0, 0.25))
        sizes[f"{side} foot"] = ((0.09, 0.24, 0.06), (0.085 * x, -0.05, 0.031))
    names = list(sizes)
    number = {name: i for i, name in enumerate(names)}
    poses = [at(np.array(place)) for _, place in sizes.values()]
    joints = [
        _socket("waist", number["pelvis"], number["belly"], (0.0, 0.0, 1.01), poses, 0.6),
        _socket("back", number["belly"], number["chest"], (0.0, 0.0, 1.16), poses, 0.6),
        _socket("neck", number["chest"], number["head"], (0.0, 0.0, 1.455), poses, 0.8),
    ]
    for side, x in (("left", 1.0), ("right", -1.0)):
        arm, forearm, hand = (number[f"{side} {part}"] for part in ("upper arm", "forearm", "hand"))
        thigh, shin, foot = (number[f"{side} {part}"] for part in ("thigh", "shin", "foot"))
        joints += [
            _socket(f"{side} shoulder", number["chest"], arm, (0.23 * x, 0.0, 1.40), poses, 2.0),
            _socket(f"{side} hip", number["pelvis"], thigh, (0.085 * x, 0.0, 0.85), poses, 1.9),
            _pin(f"{side} elbow", arm, forearm, (0.23 * x, 0.0, 1.12), poses, (-2.4, 0.0)),
            _pin(f"{side} knee", thigh, shin, (0.085 * x, 0.0, 0.435), poses, (0.0, 2.4)),
            _socket(f"{side} wrist", forearm, hand, (0.23 * x, 0.0, 0.865), poses, 1.0),
            _socket(f"{side} ankle", shin, foot, (0.085 * x, 0.0, 0.065), poses, 0.9),
        ]
    parts = [box(size, name) for name, (size, _) in sizes.items()]
    return Figure(Linkage.of(parts, joints, names=names), poses)


def hand() -> Figure:
    """A palm with four fingers side by side, 2 mm apart, that point along x; it is 21 cm long."""
    sizes = {"palm": ((0.1, 0.09, 0.02), (0.0, 0.0, 0.0))}
    places = [-0.033 + 0.022 * i for i in range(4)]
    sizes |= {f"finger {i}": ((0.1, 0.02, 0.02), (0.11, y, 0.0)) for i, y in enumerate(places)}
    poses = [at(np.array(place)) for _, place in sizes.values()]
    joints = [_socket(f"knuckle {i}", 0, i + 1, (0.055, y, 0.0), poses, 0.7) for i, y in enumerate(places)]
    parts = [box(size, name) for name, (size, _) in sizes.items()]
    return Figure(Linkage.of(parts, joints, names=list(sizes)), poses)


def _socket(
    name: str, first: int, second: int, point: Sequence[float], poses: Sequence[Pose], most: float
) -> Joint:
    turn = Axis(lower=-most, upper=most)
    return ball(Anchors.at(name, first, second, at(np.array(point)), poses), (turn, turn, turn))


def _pin(
    name: str,
    first: int,
    second: int,
    point: Sequence[float],
    poses: Sequence[Pose],
    limits: tuple[float, float],
) -> Joint:
    """A pin about the axis x, whose turn is within limits."""
    frame = pin_frame(np.array(point), np.array([1.0, 0.0, 0.0]))
    return hinge(Anchors.at(name, first, second, frame, poses), Axis(lower=limits[0], upper=limits[1]))


def chair(y: float = 0.45) -> list[Body]:
    """A floor, and a chair behind the figure: a seat at z = .45, a back, and four legs."""
    floor = polyhedron(
        CUBE_POINTS * np.array([6.0, 6.0, 0.2]) - np.array([0.0, 0.0, 0.1]), CUBE_TRIANGLES, "floor"
    )
    pieces = [
        ("seat", (0.45, 0.42, 0.04), (0.0, y, 0.43)),
        ("back", (0.45, 0.04, 0.5), (0.0, y + 0.23, 0.70)),
    ]
    pieces += [
        (f"leg {i}", (0.04, 0.04, 0.41), (sx * 0.19, y + sy * 0.18, 0.2051))
        for i, (sx, sy) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)])
    ]
    return [
        floor,
        *(polyhedron(CUBE_POINTS * np.array(s) + np.array(c), CUBE_TRIANGLES, n) for n, s, c in pieces),
    ]
