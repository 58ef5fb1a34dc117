"""The example's figure in front of its chair, or bent over it, on a floor; and what of it overlaps."""

from __future__ import annotations

import bpy
from mathutils.bvhtree import BVHTree

from physplace_addon.scene.access import present
from physplace_addon.scene.examples.figure import HIP, SEAT, bend_to_sit, chair, upright_figure
from tests.blender_data import mesh_of
from tests.scene import scenes

__all__ = ["HIP", "SEAT", "chair", "upright_figure"]


def figure_and_chair() -> bpy.types.Object:
    """The figure in front of the chair, on a floor; its feet stand on it."""
    rig = upright_figure()
    chair()
    floor = scenes.floor(half=3.0)
    floor.location.z = 0.004  # a sole is 5 mm above z = 0
    scenes.activate(rig)
    return rig


def overlaps() -> list[tuple[str, str]]:
    """The names of parts of the figure and of things around it that cut one another, as Blender tells."""
    graph = bpy.context.evaluated_depsgraph_get()
    trees, mine = dict[str, BVHTree](), set[str]()
    for obj in bpy.data.objects:
        if obj.type == "MESH":
            matrix = obj.evaluated_get(graph).matrix_world
            mesh = mesh_of(obj)
            points = [matrix @ vertex.co for vertex in mesh.vertices]
            faces = [tuple(face.vertices) for face in mesh.polygons]
            trees[obj.name] = present(BVHTree.FromPolygons(points, faces))
            mine |= {obj.name} if obj.parent is not None else set()
    around = trees.keys() - mine
    return [(part, other) for part in mine for other in around if trees[part].overlap(trees[other])]


def figure_bent_over_the_seat() -> bpy.types.Object:
    """The figure bent as one that sits, a little above the seat and the floor."""
    rig = figure_and_chair()
    bend_to_sit(rig)
    return rig
