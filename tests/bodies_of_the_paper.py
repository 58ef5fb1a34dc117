"""Bodies for the acceptance tests: each once through the public face of core, once as an oracle's shape.

The two sides share numbers (sizes, control points), never code. Lengths are of the order of 1. Profiles are
chains of cubic Bezier pieces (n, 4, 2) in (r, z), walked with the solid on the left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, exact, merge, polyhedron
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.analytic import swept
from physplace_addon.core.surfaces.bezier.bodies import bezier as patched
from tests.core.surfaces.analytic import radial_bodies
from tests.core.surfaces.curves.trigonometric_paths import TrigonometricPath
from tests.oracles.patches import Patches
from tests.oracles.profiles import Profile, bezier, line
from tests.oracles.shapes import Ball, Box, Polyhedron, Resting, Revolution, Ring, Star, Superquadric
from tests.oracles.tubes import Tube
from tests.teapot import LID_SCALE, lid_nets, pot_nets


class Meshing(TypedDict, total=False):
    """How finely the solver's body is tessellated: lines (nu, nv), or the largest distance."""

    resolution: tuple[int, int]
    tolerance: float


@dataclass(frozen=True)
class Paired:
    """One solid, as the solver's body and as an independent shape."""

    name: str
    make_body: Callable[[], Body]
    make_shape: Callable[[], Resting]

    @cached_property
    def body(self) -> Body:
        """The body for the solver."""
        return self.make_body()

    @cached_property
    def shape(self) -> Resting:
        """The shape for the oracles."""
        return self.make_shape()


def straight(start: ArrayLike, end: ArrayLike) -> list[list[float]]:
    """A straight line as a cubic Bezier piece."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    return [list(start + (end - start) * k / 3) for k in range(4)]


GOBLET = np.array(
    [
        straight([0, 0], [0.5, 0]),
        [[0.5, 0], [0.56, 0], [0.56, 0.08], [0.5, 0.1]],
        [[0.5, 0.1], [0.2, 0.2], [0.08, 0.3], [0.08, 0.7]],
        [[0.08, 0.7], [0.08, 1.0], [0.6, 0.9], [0.65, 1.4]],
        [[0.65, 1.4], [0.68, 1.7], [0.62, 1.9], [0.6, 2.1]],
        [[0.6, 2.1], [0.596, 2.14], [0.544, 2.14], [0.54, 2.1]],
        [[0.54, 2.1], [0.52, 1.9], [0.6, 1.6], [0.56, 1.35]],
        [[0.56, 1.35], [0.52, 1.1], [0.3, 1.0], [0, 1.0]],
    ]
)

APPLE = np.array(
    [
        [[0, -0.75], [0.15, -0.75], [0.2, -0.92], [0.4, -0.9]],
        [[0.4, -0.9], [0.6, -0.88], [1.0, -0.4], [1.0, 0.1]],
        [[1.0, 0.1], [1.0, 0.6], [0.7, 0.9], [0.4, 0.9]],
        [[0.4, 0.9], [0.2, 0.9], [0.15, 0.6], [0, 0.6]],
    ]
)

BOWL = np.array(
    [
        straight([0, 0], [0.6, 0]),
        [[0.6, 0], [1.1, 0], [1.8, 0.6], [2.0, 1.2]],
        [[2.0, 1.2], [2.05, 1.35], [1.93, 1.39], [1.88, 1.24]],
        [[1.88, 1.24], [1.68, 0.64], [1.0, 0.15], [0, 0.15]],
    ]
)

OUTER, INNER = np.array([0.14, 1.74]), np.array([0.13, 1.605])  # along the glass's walls, rising
GLASS = np.array(
    [
        straight([0, 0], [0.5, 0]),
        [[0.5, 0], [0.54, 0], list([0.56, 0.06] - 0.02 * OUTER), [0.56, 0.06]],
        straight([0.56, 0.06], [0.7, 1.8]),
        [[0.7, 1.8], list([0.7, 1.8] + 0.023 * OUTER), list([0.64, 1.805] + 0.025 * INNER), [0.64, 1.805]],
        straight([0.64, 1.805], [0.51, 0.2]),
        [[0.51, 0.2], list([0.51, 0.2] - 0.06 * INNER), [0.46, 0.1], [0.4, 0.1]],
        straight([0.4, 0.1], [0, 0.1]),
    ]
)

LID = np.array(
    [
        [[0, -0.25], [0.35, -0.25], [0.6, -0.12], [0.8, 0.1]],
        [[0.8, 0.1], [0.84, 0.144], [0.8, 0.2], [0.75, 0.2]],
        straight([0.75, 0.2], [0.15, 0.2]),
        [[0.15, 0.2], [0.05, 0.2], [0.05, 0.3], [0.12, 0.35]],
        [[0.12, 0.35], [0.19, 0.4], [0.12, 0.5], [0, 0.5]],
    ]
)


def turned(name: str, pieces: np.ndarray, **mesh: Unpack[Meshing]) -> Paired:
    """A solid of revolution."""
    return Paired(
        name,
        lambda: exact(swept.revolution(pieces), name, **mesh),
        lambda: Revolution(Profile([bezier(piece) for piece in pieces])),
    )


def torus(major: float = 1.0, minor: float = 0.3, **mesh: Unpack[Meshing]) -> Paired:
    """A ring about z."""
    return Paired(
        "torus", lambda: exact(kinds.torus(major, minor), "torus", **mesh), lambda: Ring(major, minor)
    )


def cone(radius: float = 1.0, height: float = 2.0, **mesh: Unpack[Meshing]) -> Paired:
    """A cone with its base and rim."""
    half = height / 2
    sides = [line([0, -half], [radius, -half]), line([radius, -half], [0, half])]
    return Paired(
        "cone",
        lambda: exact(kinds.cone(radius, height), "cone", **mesh),
        lambda: Revolution(Profile(sides)),
    )


def cylinder(radius: float = 0.5, height: float = 2.0, **mesh: Unpack[Meshing]) -> Paired:
    """A cylinder with its disks and rims."""
    half = height / 2
    corners = [[0, -half], [radius, -half], [radius, half], [0, half]]
    sides = [line(a, b) for a, b in pairwise(corners)]
    return Paired(
        "cylinder",
        lambda: exact(kinds.cylinder(radius, height), "cylinder", **mesh),
        lambda: Revolution(Profile(sides)),
    )


def sphere(radius: float = 1.0, **mesh: Unpack[Meshing]) -> Paired:
    """A ball."""
    return Paired("sphere", lambda: exact(kinds.sphere(radius), "sphere", **mesh), lambda: Ball(radius))


def superquadric(
    sizes: tuple[float, float, float] = (1.2, 1.0, 0.8),
    exponent_1: float = 0.6,
    exponent_2: float = 0.8,
    **mesh: Unpack[Meshing],
) -> Paired:
    """A rounded box by default; an ellipsoid with both exponents 1."""
    return Paired(
        "superquadric",
        lambda: exact(kinds.superquadric(*sizes, exponent_1, exponent_2), "superquadric", **mesh),
        lambda: Superquadric(sizes, exponent_1, exponent_2),
    )


def ellipsoid(sizes: tuple[float, float, float] = (1.5, 1.0, 0.7)) -> Paired:
    """An ellipsoid of three different axes."""
    return superquadric(sizes, 1.0, 1.0)


def trefoil_point(t: np.ndarray) -> np.ndarray:
    """The trefoil's centre line, for real or complex t."""
    return (
        np.stack([np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -np.sin(3 * t)], axis=-1) / 3
    )


def knot(radius: float = 0.15, **mesh: Unpack[Meshing]) -> Paired:
    """A trefoil tube; its centre of mass is its centre of symmetry."""
    cosine = np.array([[0, 0, 0], [0, 1, 0], [0, -2, 0], [0, 0, 0]]) / 3
    sine = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 0, -1]]) / 3
    return Paired(
        "knot",
        lambda: exact(swept.tube(TrigonometricPath(cosine, sine), radius), "knot", **mesh),
        lambda: Tube([(trefoil_point, 0, 2 * np.pi, True)], radius),
    )


def rod(start: Floats, end: Floats, radius: float) -> Body:
    """A straight tube with round ends."""
    return exact(swept.tube(np.array([straight(start, end)]), radius), "rod")


def line_along(half: Floats) -> Callable[[np.ndarray], np.ndarray]:
    """The line through the origin that ends at +-half for t = +-1."""
    return lambda t: t[:, None] * half


def jack(reach: float = 1.0, radius: float = 0.2) -> Paired:
    """Three crossed tubes with round ends."""
    return Paired(
        "jack",
        lambda: merge([rod(-reach * axis, reach * axis, radius) for axis in np.eye(3)], "jack"),
        lambda: Tube([(line_along(reach * axis), -1, 1, False) for axis in np.eye(3)], radius),
    )


def straw(length: float = 2.6, radius: float = 0.08) -> Paired:
    """A thin straight tube with round ends."""
    half = np.array([0, 0, length / 2])
    return Paired(
        "straw",
        lambda: rod(-half, half, radius),
        lambda: Tube([(lambda t: t[:, None] * half, -1, 1, False)], radius),
    )


BUMPS = ((0.08, (4, 3, 0), 0.4), (0.06, (0, 2, 5), 1.0), (0.05, (-3, 1, 3), 2.0))


def bumpy_radius(u: np.ndarray) -> np.ndarray:
    """Distance of the bumpy sphere from its centre along unit u (k, 3), real or complex."""
    result: np.ndarray = 1 + sum(
        height * np.cos(u @ np.array(wave, float) + phase) for height, wave, phase in BUMPS
    )
    return result


def bumpy_sphere(**mesh: Unpack[Meshing]) -> Paired:
    """A sphere with smooth bumps and no symmetry."""
    amplitude = [height for height, _, _ in BUMPS]
    wave = [numbers for _, numbers, _ in BUMPS]
    phase = [start for _, _, start in BUMPS]
    return Paired(
        "bumpy sphere",
        lambda: exact(radial_bodies.bumpy_sphere(1.0, amplitude, wave, phase), "bumpy sphere", **mesh),
        _bumpy_shape,
    )


@lru_cache
def _bumpy_shape() -> Star:
    return Star(bumpy_radius)


def pot(**mesh: Unpack[Meshing]) -> Paired:
    """The teapot without its lid: an open shell of no thickness, standing on z = 0."""
    return Paired("pot", lambda: exact(patched(pot_nets()), "pot", **mesh), _pot_shape)


@lru_cache
def _pot_shape() -> Patches:
    return Patches(pot_nets())


def teapot_lid(**mesh: Unpack[Meshing]) -> Paired:
    """The teapot's lid, where it would be on a pot whose rim is lower by the lid's hollow."""
    nets = lid_nets(LID_SCALE)
    return Paired("teapot lid", lambda: exact(patched(nets), "teapot lid", **mesh), lambda: Patches(nets))


def box(half: Sequence[float] | Floats = (0.5, 0.5, 0.5), name: str = "box") -> Paired:
    """A cuboid as a polyhedron; the oracle's side serves for resting on a plane."""
    corners = np.array(np.meshgrid(*[[-h, h] for h in half], indexing="ij")).reshape(3, -1).T
    return Paired(name, lambda: convex(corners, name), lambda: Polyhedron(corners))


def prism(sides: int = 16, radius: float = 0.5, length: float = 2.0) -> Paired:
    """An n-gon prism along z."""
    turn = (np.arange(sides) + 0.5) * 2 * np.pi / sides
    ring = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    corners = np.concatenate([np.column_stack([ring, np.full(sides, z)]) for z in (-length / 2, length / 2)])
    return Paired("prism", lambda: convex(corners, "prism"), lambda: Polyhedron(corners))


def convex(corners: Floats, name: str) -> Body:
    """The hull of corners (n, 3) as a closed polyhedron, its triangles turned outward."""
    return polyhedron(*hull_triangles(corners), name)


def hull_triangles(corners: Floats) -> tuple[np.ndarray, np.ndarray]:
    """Corners (n, 3) and the triangles (t, 3) of their hull, counter-clockwise from outside."""
    hull = Polyhedron(corners).hull
    triangles = hull.simplices.copy()
    a, b, c = np.moveaxis(hull.points[triangles], 1, 0)
    inward = np.sum(np.cross(b - a, c - a) * hull.equations[:, :3], axis=1) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return hull.points, triangles


def block_shape(half: ArrayLike) -> Box:
    """The oracle's box with a signed distance."""
    return Box(half)


def table(
    width: float = 1.0, foot: float = 0.1, height: float = 0.8, top: float = 0.06
) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles of a table: a square top on four square legs, five closed boxes."""
    edge = width / 2 - foot / 2
    parts = [cuboid([0, 0, height - top / 2], [width / 2, width / 2, top / 2])]
    leg = (height - top) / 2
    parts += [cuboid([x, y, leg], [foot / 2, foot / 2, leg]) for x in (-edge, edge) for y in (-edge, edge)]
    offsets = np.cumsum([0] + [len(points) for points, _ in parts[:-1]])
    points = np.concatenate([points for points, _ in parts])
    triangles = np.concatenate([t + offset for (_, t), offset in zip(parts, offsets, strict=True)])
    return points, triangles


def cuboid(centre: ArrayLike, half: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Points (8, 3) and triangles (12, 3) of an axis-aligned box."""
    corners = np.array(np.meshgrid(*[[-h, h] for h in half], indexing="ij")).reshape(3, -1).T
    points, triangles = hull_triangles(corners)
    return points + np.asarray(centre, float), triangles


def floor(size: float = 40.0) -> Body:
    """A level floor at z = 0, its outside up."""
    return exact(kinds.plane(size, size), "floor")


def placed(paired: Paired, matrix: ArrayLike) -> Body:
    """The body at a pose (4, 4), as a piece of the world."""
    return paired.body.transformed(np.asarray(matrix, float))
