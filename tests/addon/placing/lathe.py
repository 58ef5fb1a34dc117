"""Things that can stand as they are made: turned on a lathe, or put together of boxes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import bpy
import numpy as np

from tests.scene import scenes

Profile = Sequence[tuple[float, float]]
Box = tuple[tuple[float, float, float], tuple[float, float, float]]

# outlines as (radius, height): from the axis below to the axis above, or closed
TURNED: dict[str, Profile] = {
    "plate": (
        (0.0, 0.06),
        (0.5, 0.06),
        (0.5, 0.0),
        (0.6, 0.0),
        (0.6, 0.06),
        (1.1, 0.2),
        (1.1, 0.24),
        (0.0, 0.1),
    ),
    "bowl": (
        (0.0, 0.05),
        (0.3, 0.05),
        (0.3, 0.0),
        (0.4, 0.0),
        (0.8, 0.5),
        (0.74, 0.5),
        (0.36, 0.12),
        (0.0, 0.1),
    ),
    "bottle": ((0.0, 0.02), (0.2, 0.0), (0.25, 0.0), (0.25, 0.7), (0.08, 0.95), (0.08, 1.2), (0.0, 1.2)),
    "wine glass": ((0.0, 0.0), (0.3, 0.0), (0.04, 0.05), (0.04, 0.6), (0.28, 0.8), (0.26, 1.2), (0.0, 0.65)),
    "vase": (
        (0.0, 0.0),
        (0.2, 0.0),
        (0.45, 0.4),
        (0.15, 0.9),
        (0.25, 1.1),
        (0.2, 1.1),
        (0.1, 0.9),
        (0.0, 0.1),
    ),
    "candlestick": ((0.0, 0.05), (0.4, 0.0), (0.45, 0.0), (0.1, 0.1), (0.06, 0.8), (0.2, 0.9), (0.0, 0.9)),
    "dome": ((0.0, 0.0), (0.8, 0.0), (0.7, 0.4), (0.4, 0.7), (0.0, 0.8)),
    "lamp shade": ((0.5, 0.0), (0.52, 0.0), (0.3, 0.6), (0.28, 0.6)),
    "ring": ((0.5, 0.0), (0.7, 0.0), (0.7, 0.2), (0.5, 0.2)),
    "cone": ((0.0, 0.0), (0.6, 0.0), (0.0, 1.0)),
}
# lower and upper corners of boxes that touch but do not overlap
BUILT: dict[str, tuple[Box, ...]] = {
    "brick": (((-0.5, -0.25, 0.0), (0.5, 0.25, 0.3)),),
    "book": (((-0.4, -0.6, 0.0), (0.4, 0.6, 0.05)),),
    "domino": (((-0.05, -0.25, 0.0), (0.05, 0.25, 1.0)),),
    "table": (
        ((-1.0, -0.6, 0.9), (1.0, 0.6, 1.0)),
        *(((x, y, 0.0), (x + 0.1, y + 0.1, 0.9)) for x in (-1.0, 0.9) for y in (-0.6, 0.5)),
    ),
    "chair": (
        ((-0.3, -0.3, 0.5), (0.3, 0.3, 0.55)),
        ((-0.3, 0.25, 0.55), (0.3, 0.3, 1.1)),
        *(((x, y, 0.0), (x + 0.05, y + 0.05, 0.5)) for x in (-0.3, 0.25) for y in (-0.3, 0.25)),
    ),
    "stool": (
        ((-0.4, -0.4, 0.5), (0.4, 0.4, 0.6)),
        *(((x, y, 0.0), (x + 0.08, y + 0.08, 0.5)) for x, y in ((-0.4, -0.4), (0.32, -0.4), (-0.04, 0.32))),
    ),
    "stairs": tuple(((0.3 * i, -0.5, 0.0), (0.3 * i + 0.3, 0.5, 0.2 * i + 0.2)) for i in range(3)),
}


def made(name: str, location: scenes.Location) -> bpy.types.Object:
    """Put one of these things into the scene."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(*(_turned(TURNED[name]) if name in TURNED else _built(BUILT[name])))
    return scenes.linked(bpy.data.objects.new(name, mesh), location)


def _turned(profile: Profile, sides: int = 20) -> tuple[list[tuple[float, ...]], list[int], list[list[int]]]:
    """Turn an outline about z: one that does not begin on the axis is closed."""
    vertices: list[tuple[float, ...]] = []
    rings: list[list[int]] = []
    for radius, height in profile:
        count = 1 if radius == 0.0 else sides
        angles = 2.0 * np.pi * np.arange(count) / count
        rings.append([len(vertices) + i for i in range(count)] * (sides // count))
        vertices += [(radius * np.cos(a), radius * np.sin(a), height) for a in angles]
    closes = profile[0][0] > 0.0
    faces = []
    for lower, upper in pairwise([*rings, rings[0]] if closes else rings):
        for i in range(sides):
            j = (i + 1) % sides
            face = list(dict.fromkeys([lower[i], lower[j], upper[j], upper[i]]))
            faces += [face] if len(face) > 2 else []
    return vertices, [], faces


def _built(boxes: tuple[Box, ...]) -> tuple[list[tuple[float, ...]], list[int], list[list[int]]]:
    vertices: list[tuple[float, ...]] = []
    faces = []
    for lower, upper in boxes:
        corners = 0.5 * (np.array(lower) + upper) + 0.5 * scenes.CUBE * (np.array(upper) - lower)
        faces += [[len(vertices) + i for i in face] for face in scenes.CUBE_FACES]
        vertices += [tuple(corner) for corner in corners.tolist()]
    return vertices, [], faces
