"""Objects of every sort that has a shape, standing at the origin: what is placed, or placed upon.

Each maker returns the object to place; what else it needs is in the scene, too.
"""

from __future__ import annotations

from itertools import pairwise

import bpy
import numpy as np
from mathutils import Matrix

from physplace_addon.scene.access import present
from tests.blender_data import current_scene, current_view_layer, geometry_nodes, mesh_of, of_type
from tests.scene import scenes


def added(name: str, data: bpy.types.ID | None) -> bpy.types.Object:
    """An object of some data, in the scene."""
    return scenes.linked(bpy.data.objects.new(name, data))


def text() -> bpy.types.Object:
    """Two letters, extruded and bevelled."""
    data = of_type(bpy.data.curves.new("Text", "FONT"), bpy.types.TextCurve)
    data.body, data.extrude, data.bevel_depth, data.resolution_u = "Lo", 0.2, 0.02, 3
    return added("Text", data)


def wire() -> bpy.types.Object:
    """A bent round bar."""
    data = bpy.data.curves.new("Wire", "CURVE")
    data.dimensions, data.bevel_depth, data.use_fill_caps = "3D", 0.1, True
    data.splines.new("POLY").points.add(2)
    data.splines[0].points.foreach_set("co", [0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0.5, 1])
    return added("Wire", data)


def blob() -> bpy.types.Object:
    """Two metaballs that are one, parent and child."""
    balls = []
    for x in (0.0, 1.2):
        data = bpy.data.metaballs.new("Ball")
        data.elements.new().radius = 1.0
        balls.append(added("Ball", data))
        balls[-1].location.x = x
    balls[1].parent = balls[0]
    return balls[0]


def spread() -> bpy.types.Object:
    """Small cubes, at each corner of a cube, by geometry nodes; what they are instances of is hidden."""
    part = scenes.cube("Part")
    mesh_of(part).transform(Matrix.Diagonal((0.2, 0.2, 0.2, 1.0)))
    holder = added("Points", scenes.cube("Cage").data)
    bpy.data.objects.remove(bpy.data.objects["Cage"])
    group = geometry_nodes("Spread")
    source, target = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    points, info = (
        group.nodes.new("GeometryNodeInstanceOnPoints"),
        group.nodes.new("GeometryNodeObjectInfo"),
    )
    of_type(info.inputs["Object"], bpy.types.NodeSocketObject).default_value = part
    of_type(info.inputs["As Instance"], bpy.types.NodeSocketBool).default_value = True
    group.links.new(source.outputs[0], points.inputs["Points"])
    group.links.new(info.outputs["Geometry"], points.inputs["Instance"])
    group.links.new(points.outputs[0], target.inputs[0])
    of_type(holder.modifiers.new("Nodes", "NODES"), bpy.types.NodesModifier).node_group = group
    part.hide_set(True)
    return holder


def collection() -> bpy.types.Object:
    """An empty that shows a collection of a cube, and an empty in it that shows a collection of another."""
    inner, outer = (_shown(f"Set {name}", scenes.cube(name)) for name in ("Inner", "Outer"))
    holder, nested = added("Holder", None), added("Nested", None)
    _move(nested, outer)
    nested.location.x = 3.0
    holder.instance_type, holder.instance_collection = "COLLECTION", outer
    nested.instance_type, nested.instance_collection = "COLLECTION", inner
    return holder


def _shown(name: str, part: bpy.types.Object) -> bpy.types.Collection:
    found = bpy.data.collections.new(name)
    _move(part, found)
    return found


def _move(obj: bpy.types.Object, to: bpy.types.Collection) -> None:
    current_scene().collection.objects.unlink(obj)
    to.objects.link(obj)


def rigged() -> bpy.types.Object:
    """An armature with a cube, whose upper half is bent aside by a bone, in pose from frame 10 on, as now."""
    cube = scenes.cube("Skin")
    data = bpy.data.armatures.new("Rig")
    rig = added("Rig", data)
    scenes.activate(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    bone = data.edit_bones.new("Bone")
    bone.head, bone.tail = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    cube.parent = rig
    cube.vertex_groups.new(name="Bone").add([1, 3, 5, 7], 1.0, "REPLACE")
    of_type(cube.modifiers.new("Armature", "ARMATURE"), bpy.types.ArmatureModifier).object = rig
    pose = present(rig.pose).bones["Bone"]
    pose.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (10, 0.7)):
        pose.rotation_euler.x = angle
        pose.keyframe_insert("rotation_euler", frame=frame)
    current_scene().frame_set(10)
    return rig


def chain() -> bpy.types.Object:
    """A cube, its child and a child of that, mirrored, stretched and turned; a hidden one and one that is
    excluded belong to no body.
    """
    cubes = [scenes.cube(f"Link {i}", (0.0, 0.0, 0.0)) for i in range(5)]
    for parent, child in pairwise(cubes):
        child.parent = parent
        child.location, child.rotation_euler, child.scale = (1.2, 0.3, 0.4), (0.2, 0.5, 0.1), (-0.8, 0.5, 0.7)
    cubes[3].hide_set(True)
    _move(cubes[4], bpy.data.collections.new("Excluded"))
    excluded = cubes[4].users_collection[0]
    current_scene().collection.children.link(excluded)
    current_view_layer().layer_collection.children["Excluded"].exclude = True
    return cubes[0]


def mirrored() -> bpy.types.Object:
    """A bent sheet, mirrored and made thick by modifiers, and inside out by its scale."""
    points = [(0.0, -1.0, 0.0), (1.0, -1.0, 0.5), (1.0, 1.0, 0.5), (0.0, 1.0, 0.0)]
    mesh = bpy.data.meshes.new("Shell")
    mesh.from_pydata(points, [], [(0, 1, 2, 3)])
    shell = added("Shell", mesh)
    shell.modifiers.new("Mirror", "MIRROR")
    of_type(shell.modifiers.new("Solidify", "SOLIDIFY"), bpy.types.SolidifyModifier).thickness = 0.2
    shell.scale = (-1.0, 1.0, 0.7)
    return shell


KINDS = {make.__name__: make for make in (text, wire, blob, spread, collection, rigged, chain, mirrored)}


def seen(*without: str) -> np.ndarray:
    """The triangles (t, 3, 3), in the world, of all that is visible but objects of some names.

    What is no mesh itself shows one as an instance.
    """
    current_view_layer().update()
    found = []
    for instance in bpy.context.evaluated_depsgraph_get().object_instances:
        shown = present(instance.object)
        if shown.name not in without and shown.type == "MESH" and len(mesh_of(shown).polygons):
            found.append(triangles(mesh_of(shown), np.array(instance.matrix_world)))
    return np.concatenate(found)


def triangles(mesh: bpy.types.Mesh, matrix: np.ndarray) -> np.ndarray:
    """The triangles (t, 3, 3) of a mesh, mapped by a matrix (4, 4)."""
    mesh.calc_loop_triangles()
    points = np.array([vertex.co for vertex in mesh.vertices]) @ matrix[:3, :3].T + matrix[:3, 3]
    mapped: np.ndarray = points[np.array([triangle.vertices for triangle in mesh.loop_triangles])]
    return mapped
