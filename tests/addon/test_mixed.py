"""Whatever has a shape can be placed: text, curves, metaballs, instances, what an armature deforms, dirt."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from tests.core.dirty_meshes import dirty
from tests.scene import scenes

from .running import place, refused

AT_REST = {"BALANCED", "AT_ENERGY_MINIMUM"}


def _rests_on_the_floor(obj: bpy.types.Object) -> dict[str, object]:
    """Place an object over a floor: what is seen of it stands on the floor, and nothing is below it."""
    scenes.floor()
    report = place(obj)
    assert report["status"] in AT_REST
    heights = _seen()[:, 2]
    assert abs(heights.min()) < 2e-6
    return report


def _seen() -> np.ndarray:
    """The points (n, 3), in the world, of all faces that are seen but the floor's."""
    bpy.context.view_layer.update()
    found = []
    for instance in bpy.context.evaluated_depsgraph_get().object_instances:
        shown = instance.object
        if shown.name == "Floor" or shown.type in {"EMPTY", "ARMATURE"}:
            continue
        try:
            mesh = shown.to_mesh()
        except RuntimeError:
            continue
        if mesh is not None and len(mesh.polygons):
            matrix = np.array(instance.matrix_world)
            points = np.array([vertex.co for vertex in mesh.vertices])
            found.append(points @ matrix[:3, :3].T + matrix[:3, 3])
    return np.concatenate(found)


def _object(name: str, data: bpy.types.ID | None, height: float = 3.0) -> bpy.types.Object:
    obj = scenes.linked(bpy.data.objects.new(name, data), (0.0, 0.0, height))
    obj.rotation_euler = (0.4, 0.3, 0.2)
    return obj


def test_text_is_placed_by_its_extruded_and_bevelled_letters() -> None:
    text = bpy.data.curves.new("Text", "FONT")
    text.body, text.extrude, text.bevel_depth = "Lo", 0.2, 0.02
    _rests_on_the_floor(_object("Text", text))


def test_a_bevelled_curve_is_placed() -> None:
    curve = bpy.data.curves.new("Wire", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.use_fill_caps = "3D", 0.1, True
    curve.splines.new("POLY").points.add(2)
    curve.splines[0].points.foreach_set("co", [0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0.5, 1])
    _rests_on_the_floor(_object("Wire", curve))


def test_a_blob_of_metaballs_is_placed_as_one_or_refused_if_part_of_it_stays() -> None:
    balls = []
    for place_ in ((0.0, 0.0, 4.0), (1.2, 0.0, 0.0)):
        data = bpy.data.metaballs.new("Ball")
        data.elements.new().radius = 1.0
        balls.append(scenes.linked(bpy.data.objects.new("Ball", data), place_))
    for ball in balls:
        refused(bpy.ops.physplace.place, ball, "one blob with")
    balls[1].parent = balls[0]
    _rests_on_the_floor(balls[0])


def _nodes(obj: bpy.types.Object, part: bpy.types.Object) -> None:
    """Geometry nodes that show an object at each point of another's mesh, in its place."""
    group = bpy.data.node_groups.new("Spread", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    source, target = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    spread, info = (
        group.nodes.new("GeometryNodeInstanceOnPoints"),
        group.nodes.new("GeometryNodeObjectInfo"),
    )
    info.inputs["Object"].default_value, info.inputs["As Instance"].default_value = part, True
    group.links.new(source.outputs[0], spread.inputs["Points"])
    group.links.new(info.outputs["Geometry"], spread.inputs["Instance"])
    group.links.new(spread.outputs[0], target.inputs[0])
    obj.modifiers.new("Nodes", "NODES").node_group = group


def test_what_geometry_nodes_instance_is_one_body() -> None:
    part = scenes.cube("Part")
    for vertex in part.data.vertices:
        vertex.co *= 0.2
    points = _object("Points", scenes.cube("Cage").data)
    bpy.data.objects.remove(bpy.data.objects["Cage"])
    _nodes(points, part)
    part.hide_set(True)
    report = _rests_on_the_floor(points)
    assert report["status"] == "BALANCED"
    assert points.location.z == pytest.approx(1.2, abs=1e-5)


def test_an_instanced_collection_is_one_body() -> None:
    collection = bpy.data.collections.new("Set")
    for x in (0.0, 3.0):
        part = scenes.cube("Part", (x, 0.0, 0.0))
        bpy.context.scene.collection.objects.unlink(part)
        collection.objects.link(part)
    holder = _object("Holder", None, 4.0)
    holder.instance_type, holder.instance_collection = "COLLECTION", collection
    _rests_on_the_floor(holder)
    assert holder.matrix_world.to_3x3().col[0].z == pytest.approx(0.0, abs=1e-5)


def _rigged() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A cube whose upper half is bent aside by a bone, in pose from frame 10 on."""
    cube = scenes.cube("Skin")
    data = bpy.data.armatures.new("Rig")
    rig = scenes.linked(bpy.data.objects.new("Rig", data))
    scenes.activate(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    bone = data.edit_bones.new("Bone")
    bone.head, bone.tail = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    cube.parent = rig
    cube.vertex_groups.new(name="Bone").add([1, 3, 5, 7], 1.0, "REPLACE")
    cube.modifiers.new("Armature", "ARMATURE").object = rig
    pose = rig.pose.bones["Bone"]
    pose.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (10, 0.7)):
        pose.rotation_euler.x = angle
        pose.keyframe_insert("rotation_euler", frame=frame)
    rig.location.z = 4.0
    return rig, cube


def test_what_an_armature_deforms_is_placed_as_it_is_at_the_current_frame() -> None:
    rig, _ = _rigged()
    bpy.context.scene.frame_set(10)
    before = np.ptp(_seen(), axis=0)
    rig.rotation_euler = (0.3, 0.2, 0.1)
    _rests_on_the_floor(rig)
    assert before[2] > 2.2


def test_a_shape_that_depends_on_what_stays_is_refused() -> None:
    _, skin = _rigged()
    refused(
        bpy.ops.physplace.place, skin, '"Skin".*modifier "Armature" depends on "Rig", which does not move'
    )
    cutter, cube = scenes.cube("Cutter", (9.0, 0.0, 0.0)), scenes.cube("Cut", (9.5, 0.0, 0.0))
    cube.modifiers.new("Boolean", "BOOLEAN").object = cutter
    refused(bpy.ops.physplace.place, cube, '"Cut".*"Cutter"')


def test_a_face_with_a_hole_is_as_it_is_seen() -> None:
    """A face whose border runs in along a bridge, around the hole, and back."""
    outer = [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)]
    inner = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)]
    mesh = bpy.data.meshes.new("Frame")
    mesh.from_pydata([(x, y, 0.0) for x, y in outer + inner], [], [(0, 1, 2, 3, 0, 4, 5, 6, 7, 4)])
    frame = _object("Frame", mesh)
    report = _rests_on_the_floor(frame)
    assert "1 faces with holes in them; 2 open borders, of 8 edges" in str(report["notes"])
    peg = scenes.cube("Peg", (0.0, 0.0, 5.0))
    peg.scale = (0.5, 0.5, 0.5)
    assert place(peg)["status"] == "BALANCED"
    assert peg.location.z == pytest.approx(0.5, abs=1e-5)


def test_a_loaded_die_rests_on_its_heavy_side() -> None:
    scenes.floor()
    die = scenes.cube("Die", (0.0, 0.0, 3.0))
    lead = scenes.linked(bpy.data.objects.new("Lead", None), (0.8, 0.0, 0.0))
    lead.parent = die
    die.rotation_euler = (0.1, 0.6, 0.3)
    assert place(die)["status"] == "BALANCED"
    assert scenes.world_matrix(die)[2, 2] == pytest.approx(1.0, abs=1e-5)
    die["physplace_center_of_mass"] = "Lead"
    die.location, die.rotation_euler = (0.0, 0.0, 3.0), (0.1, 0.6, 0.3)
    assert place(die)["status"] == "BALANCED"
    assert scenes.world_matrix(die)[2, 0] == pytest.approx(-1.0, abs=1e-5)


def test_placing_a_dirty_mesh_changes_nothing_in_it() -> None:
    scenes.floor(half=30.0)
    dirt = dirty(40)
    mesh = bpy.data.meshes.new("Dirty")
    mesh.from_pydata(dirt.points.tolist(), [(0, 5)], dirt.triangles.tolist())
    obj = scenes.linked(bpy.data.objects.new("Dirty", mesh), (0.0, 0.0, 30.0))

    def content() -> list[object]:
        points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", points)
        faces = [tuple(polygon.vertices) for polygon in mesh.polygons]
        return [points.tobytes(), faces, [tuple(edge.vertices) for edge in mesh.edges], list(mesh.keys())]

    before = content()
    assert place(obj)["status"] in AT_REST
    assert content() == before
