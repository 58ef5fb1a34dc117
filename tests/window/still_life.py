"""A bowl, a spoon, a mug, books and steps: things to take pictures of, and how to show them."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Quaternion, Vector

from physplace_addon.scene.examples import solids, tableware
from physplace_addon.scene.examples.catalogue import EXAMPLES
from physplace_addon.scene.writing.display import refresh_mesh
from tests.blender_data import active_object, current_view_layer, mesh_of, physplace
from tests.scene import scenes
from tests.window import afresh
from tests.window.user import User

Colour = tuple[float, float, float]
Point = tuple[float, float, float]

TABLE, GLAZE, STEEL, CLAY = (0.42, 0.36, 0.30), (0.16, 0.36, 0.52), (0.78, 0.76, 0.72), (0.75, 0.40, 0.24)
BOOKS = ((0.25, 0.42, 0.33), (0.55, 0.24, 0.22))
FROM_ABOVE_RIGHT = Quaternion((0.85, 0.43, 0.13, 0.27)).normalized()
LEFT, RIGHT = "Left Hand", "Right Hand"
COARSE = 4e-3  # how far the meshes may be from the exact surfaces


def bowl_and_spoon() -> tuple[bpy.types.Object, bpy.types.Object]:
    """The demo's bowl on a table, and its spoon held over it; the spoon is selected and active."""
    table, bowl, spoon = tableware.floor("Table", 6.0), tableware.bowl(), tableware.spoon()
    for part in (bowl, spoon, *spoon.children):
        refresh_mesh(part, tolerance=COARSE)
    for obj, colour in ((table, TABLE), (bowl, GLAZE), (spoon, STEEL), (spoon.children[0], STEEL)):
        paint(obj, colour)
    spoon.location, spoon.rotation_euler = (-0.413, -0.277, 0.25), (0.03, 0.017, 0.59)
    _take(spoon)
    return bowl, spoon


def mug(name: str = "Mug", location: Point = (0.0, 0.0, 0.0)) -> bpy.types.Object:
    """An open mug, a prism of many sides that is 2 high, selected and active; the origin is amid it."""
    made = solids.turned(name, [(0.72, -1.0), (0.8, 1.0), (0.68, 1.0), (0.6, -0.85)])
    made.location = location
    paint(made, CLAY)
    _take(made)
    return made


def books() -> None:
    """Two books, one on the other, on a table."""
    paint(scenes.floor("Table", 5.0), TABLE)
    for number, colour in enumerate(BOOKS):
        book = scenes.cube(f"Book {number}", (2.6, 0.2 * number, 0.35 + 0.7 * number))
        book.scale, book.rotation_euler.z = (1.5, 1.1, 0.35), 0.12 * number
        paint(book, colour)


def brick_wall(rows: int = 3, columns: int = 2) -> list[bpy.types.Object]:
    """A wall of bricks on a table, each row shifted by half a brick; all bricks are selected, row by row."""
    paint(scenes.floor("Table", 6.0), TABLE)
    bricks = []
    for row in range(rows):
        for column in range(columns):
            shift = column + 0.5 * (row % 2) - 0.5 * columns + 0.25
            brick = scenes.cube(f"Brick {row} {column}", (1.2 * shift, 0.0, 0.5 * row + 0.25))
            brick.scale = (0.6, 0.35, 0.25)
            paint(brick, (CLAY, BOOKS[1])[(row + column) % 2])
            bricks.append(brick)
    for brick in bricks:
        _take(brick)
    return bricks


def leaning_book() -> None:
    """A book that lies, one that leans on it, and a ball, on a table, all selected: a face, lines and points
    of contact.
    """
    slope, start = np.radians(40.0), 0.5 - 0.7 / np.tan(np.radians(40.0))
    along, across = (
        np.array([np.cos(slope), 0.0, np.sin(slope)]),
        np.array([-np.sin(slope), 0.0, np.cos(slope)]),
    )
    table, lies = scenes.cube("Table", (0.0, 0.0, -0.1)), scenes.cube("Book", (2.0, 0.0, 0.35))
    leans = scenes.cube("Leaning Book", (np.array([start, 0.0, 0.0]) + 1.2 * along + 0.08 * across).tolist())
    table.scale, lies.scale, leans.scale = (5.0, 5.0, 0.1), (1.5, 1.1, 0.35), (1.2, 0.8, 0.08)
    leans.rotation_euler.y = -slope
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=(-1.6, -0.9, 0.5))
    ball = active_object()
    ball.name, ball["surface"], ball["surface.radius"] = "Ball", "sphere", 0.5
    mesh_of(ball).shade_smooth()
    for obj, colour in ((table, TABLE), (lies, BOOKS[0]), (leans, BOOKS[1]), (ball, CLAY)):
        paint(obj, colour)
        obj.select_set(True)


def book_before_another() -> bpy.types.Object:
    """A book that hovers over a table, selected and active, before another that stands there."""
    paint(scenes.floor("Table", 5.0), TABLE)
    stands, hovers = scenes.cube("Standing Book", (1.6, 0.0, 0.8)), scenes.cube("Book", (-2.0, 0.0, 0.3))
    stands.scale, hovers.scale = (0.3, 1.1, 0.8), (0.8, 0.6, 0.1)
    paint(stands, BOOKS[0])
    paint(hovers, BOOKS[1])
    _take(hovers)
    return hovers


def steps(count: int = 3) -> bpy.types.Object:
    """Stairs that lead up to the right: step number i is around x = 3 i, at the height i."""
    outline = [(-1.5, -0.5)]
    for i in range(count):
        outline += [(3.0 * i - 1.5, float(i)), (3.0 * i + 1.5, float(i))]
    outline.append((3.0 * count - 1.5, -0.5))
    made = solids.prism("Steps", outline, 1.5)
    paint(made, TABLE)
    return made


def figure() -> None:
    """A blob of two balls and two cylinders, pinned at its hands, its crown and its foot; the hands are LEFT
    and RIGHT.
    """
    physplace.blob_add(location=(0.0, 0.0, 1.0), radius=0.95)
    physplace.blob_add(location=(0.0, 0.0, 2.25), radius=0.6)
    for side in (-1.0, 1.0):
        physplace.blob_add(kind="cylinder", location=(0.6 * side, 0.0, 1.4), radius=0.34)
        start = active_object()
        end = start["blob.end"]
        end.location = start.location + Vector((1.2 * side, 0.0, 0.35))
        current_view_layer().update()
    for place, name in (((-2.3, 0.0, 1.85), LEFT), ((2.3, 0.0, 1.85), RIGHT)):
        physplace.blob_control_add(location=place)
        active_object().name = name
    for place in ((0.0, 0.0, 2.9), (0.0, 0.0, 0.0)):
        physplace.blob_control_add(location=place)
    bpy.data.objects["Blob"]["blob.sigma"] = 0.12


def paint(obj: bpy.types.Object, colour: Colour) -> None:
    """Give an object a colour in the viewport."""
    obj.color = (*colour, 1.0)


async def example(user: User, key: str, share: float) -> None:
    """Open an example, and look at it from a share of its distance."""
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.example_open("INVOKE_DEFAULT", example=key) == {"FINISHED"}
    await show(user, EXAMPLES[key].centre, share * EXAMPLES[key].distance, tab=False)


async def show(user: User, centre: Point, distance: float, *, tab: bool) -> None:
    """Look at a place from above, to the right; the scene in colours, without the grid."""
    afresh.draw(user, fully=True)
    space = user.space
    space.shading.color_type, space.shading.show_shadows, space.shading.show_cavity = "OBJECT", True, True
    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.show_gizmo_navigate = space.overlay.show_text = False
    space.overlay.show_cursor = space.overlay.show_relationship_lines = False
    view = user.view
    view.view_perspective, view.view_rotation = "PERSP", FROM_ABOVE_RIGHT
    view.view_location, view.view_distance = centre, distance
    space.show_region_ui = False
    if tab:
        await user.open_tab()
    await user.wait()
    user.scene_is_ready()


def _take(obj: bpy.types.Object) -> None:
    obj.select_set(True)
    scenes.activate(obj)
