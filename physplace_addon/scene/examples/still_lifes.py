# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples of placing: each function adds its objects, and returns the one to make active."""

from __future__ import annotations

from math import sqrt
from typing import Final

from bpy.types import Object

from ..writing.display import refresh_mesh
from . import tableware
from .solids import (
    CLAY,
    GLAZE,
    LINEN,
    OAK,
    RED,
    STEEL,
    Colour,
    Point,
    box,
    mesh_object,
    paint,
    prism,
    surface,
    turned,
)

MUG: Final = ((0.72, -1.0), (0.8, 1.0), (0.68, 1.0), (0.6, -0.85))  # radius and height of its rings
MUG_SCALE: Final = 0.045  # of a mug that is 9 cm high
PLATE: Final = ((0.07, 0.0), (0.13, 0.018), (0.122, 0.022), (0.062, 0.006))
JAR: Final = ((0.058, 0.0), (0.06, 0.075), (0.055, 0.075), (0.053, 0.006))
SWEET: Final = 0.042  # from the middle of a sweet to a corner
# Side view of a fork that is bent a little: x along it, z up.
FORK: Final = ((-0.09, 0.003), (0.0, 0.0), (0.09, 0.005), (0.09, 0.008), (0.0, 0.003), (-0.09, 0.006))


def mug_over_table() -> Object:
    """A mug held aslant over two books that lie on a table."""
    _table((5.0, 4.0, 0.1))
    for number, colour in enumerate((LINEN, RED)):
        book = box(f"Book {number + 1}", (1.5, 1.1, 0.35))
        _put(book, (2.6, 0.2 * number, 0.35 + 0.7 * number), (0.0, 0.0, 0.12 * number), colour)
    return _put(_mug(1.0), (-0.6, 0.0, 2.2), (0.25, 0.3, 0.0), CLAY)


def spoon_and_bowl() -> Object:
    """A bowl held aslant over a table, and a spoon over the bowl."""
    table = tableware.floor("Table", 8.0)
    bowl, spoon = tableware.bowl(), tableware.spoon()
    paint(table, OAK)
    _put(spoon, (-0.35, -0.10, 1.20), (0.25, -0.20, 0.6), STEEL)
    return _put(bowl, (0.0, 0.0, 0.55), (0.30, -0.22, 0.0), GLAZE)


def jar_and_sweet() -> Object:
    """A jar on a table, and a sweet of four faces over it."""
    _table((0.4, 0.3, 0.02))
    _put(turned("Jar", JAR, 8), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), GLAZE).display_type = "WIRE"
    return _put(_tetrahedron("Sweet", SWEET), (0.012, 0.006, 0.14), (0.2, 0.3, 0.0), RED)


def table_to_lay() -> Object:
    """Tableware held over a table: a plate, an orange over it, a mug, a fork, a knife, a salt shaker."""
    _table((0.4, 0.3, 0.02))
    _put(turned("Plate", PLATE), (0.0, 0.0, 0.05), (0.15, 0.1, 0.0), GLAZE)
    _put(prism("Fork", FORK, 0.011), (-0.19, 0.0, 0.05), (0.2, 0.1, 1.5), STEEL)
    _put(box("Knife", (0.1, 0.009, 0.0015)), (0.19, 0.0, 0.05), (-0.2, 0.1, 1.6), STEEL)
    _put(turned("Salt", ((0.022, -0.04), (0.015, 0.04)), 8), (-0.16, 0.2, 0.09), (0.15, 0.0, 0.0), LINEN)
    orange = surface("Orange", "sphere", radius=0.035)
    refresh_mesh(orange)
    _put(orange, (0.02, 0.01, 0.13), (0.0, 0.0, 0.0), CLAY)
    return _put(_mug(MUG_SCALE), (0.2, 0.17, 0.1), (0.2, -0.15, 0.0), RED)


def mug_over_stairs() -> Object:
    """A mug over the lowest of three steps that lead up to the right, 3 apart and 1 high."""
    outline = [(-1.5, -0.5)]
    for i in range(3):
        outline += [(3.0 * i - 1.5, float(i)), (3.0 * i + 1.5, float(i))]
    outline.append((7.5, -0.5))
    paint(prism("Stairs", outline, 1.5), OAK)
    return _put(_mug(1.0), (0.0, 0.0, 1.8), (0.2, 0.1, 0.0), CLAY)


def pedestal() -> Object:
    """A round pedestal whose top is in the plane z = 0."""
    made = turned("Pedestal", ((1.4, -0.5), (1.5, 0.0)), 32)
    paint(made, OAK)
    return made


def _tetrahedron(name: str, radius: float) -> Object:
    """Add a regular tetrahedron about its origin; radius: from there to a corner."""
    signs = ((1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0))
    corners = [[radius / sqrt(3.0) * each for each in sign] for sign in signs]
    return mesh_object(name, corners, ((0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)))


def _table(half: Point) -> None:
    """Add a table whose top is in the plane z = 0."""
    _put(box("Table", half), (0.0, 0.0, -half[2]), (0.0, 0.0, 0.0), OAK)


def _mug(scale: float) -> Object:
    return turned("Mug", [(scale * radius, scale * height) for radius, height in MUG])


def _put(obj: Object, place: Point, turn: Point, colour: Colour) -> Object:
    """Give an object its place, its turn in Euler angles and its colour, and return it."""
    obj.location, obj.rotation_euler = place, turn
    paint(obj, colour)
    return obj
