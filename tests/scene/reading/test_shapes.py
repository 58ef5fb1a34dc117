"""Surface objects are read as the very NURBS surfaces that Blender draws."""

from __future__ import annotations

import itertools

import bpy
import numpy as np
import pytest

from physplace_addon.core.placement import Placement
from physplace_addon.core.surfaces.bezier.nets import BezierNets
from physplace_addon.core.surfaces.bezier.splines import spline_nets
from physplace_addon.scene.reading.curves import Direction
from physplace_addon.scene.reading.scenario import read
from physplace_addon.scene.reading.shapes import sheet_of
from tests.blender_data import active_object, current_scene, current_view_layer, curve_of
from tests.core.surfaces.bezier import spline_bodies as splines
from tests.core.surfaces.bezier.spline_bodies import spans
from tests.scene import scenes

EXACT, SPREAD = "exact surface of its splines", "it encloses no volume, its mass is spread over its area"
SWITCHES = ("use_cyclic", "use_endpoint", "use_bezier")


def surface_object(points: np.ndarray, weights: np.ndarray) -> bpy.types.Object:
    """A NURBS surface of points (nu, nv, 3) and weights (nu, nv), made as a script does: by Make Segment."""
    data = bpy.data.curves.new("Surface", "SURFACE")
    data.dimensions = "3D"
    made = scenes.linked(bpy.data.objects.new("Surface", data))
    for row in points:
        spline = data.splines.new("NURBS")
        spline.points.add(len(row) - 1)
        for place, point in enumerate(spline.points):
            point.co, point.select = (len(data.splines), place, 0.0, 1.0), True
    scenes.activate(made)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.curve.make_segment()
    bpy.ops.object.mode_set(mode="OBJECT")
    (spline,) = data.splines
    assert (spline.point_count_u, spline.point_count_v) == weights.shape
    placed = np.concatenate([points, weights[..., None]], axis=2).swapaxes(0, 1)
    spline.points.foreach_set("co", placed.astype(np.float32).ravel())
    return made


def switched(spline: bpy.types.Spline, axis: str, order: int, *switches: bool) -> None:
    """Set the order and the switches Cyclic, Endpoint and Bezier of one direction."""
    setattr(spline, f"order_{axis}", order)
    for name, value in zip(SWITCHES, switches, strict=True):
        setattr(spline, f"{name}_{axis}", value)


def torus_object() -> bpy.types.Object:
    """A torus of radii 1 and 1/4: exact, for all its numbers have few binary digits."""
    sheet = splines.torus(1.0, 0.25)
    made = surface_object(sheet.points[:8, :8], sheet.weights[:8, :8])
    for axis in "uv":
        switched(curve_of(made).splines[0], axis, 3, True, True, True)
    return made


def displayed(made: bpy.types.Object) -> np.ndarray:
    """The points of the evaluated mesh (n, 3)."""
    current_view_layer().update()
    evaluated = made.evaluated_get(bpy.context.evaluated_depsgraph_get())
    points = np.array([vertex.co for vertex in evaluated.to_mesh().vertices], dtype=float).reshape(-1, 3)
    evaluated.to_mesh_clear()
    return points


def sampled(direction: Direction, resolution: int) -> tuple[np.ndarray, np.ndarray]:
    """The pieces (m,) and their parameters (m,) where Blender puts the lines of a displayed surface."""
    ends = spans(direction.knots, direction.order)
    count = direction.count * resolution
    share = np.arange(count) / (count if direction.cyclic else count - 1)
    at = ends[0, 0] + share * (ends[-1, 1] - ends[0, 0])
    piece = np.clip(np.searchsorted(ends[:, 0], at, side="right") - 1, 0, len(ends) - 1)
    return piece, (at - ends[piece, 0]) / (ends[piece, 1] - ends[piece, 0])


@pytest.mark.parametrize("order", [2, 3, 4, 6])
def test_the_exact_surface_is_where_blender_draws_it(order: int, rng: np.random.Generator) -> None:
    for count in {max(order, 3), 2 * order - 1, max(2 * (order - 1), 4), 2 * order + 2}:
        grid = np.stack(np.meshgrid(np.arange(3.0), np.arange(float(count)), [0.0], indexing="ij"), axis=-1)
        points = grid[:, :, 0] + rng.uniform(-0.2, 0.2, (3, count, 3))
        made = surface_object(points, rng.uniform(0.3, 3.0, (3, count)))
        spline = curve_of(made).splines[0]
        switched(spline, "u", 3, False, True, False)
        spline.resolution_u, spline.resolution_v = 3, 4
        for switches in itertools.product([False, True], repeat=3):
            switched(spline, "v", order, *switches)
            theirs = displayed(made)
            u, v = Direction.u(spline), Direction.v(spline)
            assert v.is_valid == (len(theirs) > 0), (count, switches)
            if not v.is_valid:
                continue
            control = spline_nets([sheet_of(spline)])
            nets = BezierNets(control, np.zeros(len(control), dtype=bool))
            (piece_u, s), (piece_v, t) = sampled(u, 3), sampled(v, 4)
            patch = piece_u[:, None] * len(spans(v.knots, order)) + piece_v
            at = np.stack(np.broadcast_arrays(s[:, None], t), axis=-1).reshape(-1, 2)
            ours = nets.slopes(patch.ravel(), at).point
            assert np.abs(ours - theirs).max() < 3e-4, (count, switches)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "closed"), [("surface", False), ("cylinder", False), ("sphere", True), ("torus", True)]
)
def test_blenders_own_surfaces_are_placed_as_what_they_are(kind: str, closed: bool) -> None:
    scenes.floor()
    getattr(bpy.ops.surface, f"primitive_nurbs_surface_{kind}_add")()
    made = active_object()
    made.location, made.rotation_euler, made.scale = (0.1, 0.2, 2.0), (0.1, 0.2, 0.3), (1.0, 1.0, -1.0)
    scenario = read(bpy.context)
    body = scenario.subject.body
    assert body.notes == ((EXACT,) if closed else (EXACT, SPREAD))
    assert (body.closed, body.face_count, len(scenario.world)) == (closed, 1, 1)
    if closed:
        assert body.mass.volume > 0.0
    placement = Placement(body, scenario.subject.pose, scenario.world)
    assert placement.run().status.name in ("BALANCED", "AT_ENERGY_MINIMUM")


@pytest.mark.parametrize("kind", ["curve", "circle"])
def test_a_curve_without_faces_stands_in_no_ones_way_and_cannot_be_placed(kind: str) -> None:
    scenes.activate(scenes.cube(location=(0.0, 0.0, 3.0)))
    cube = active_object()
    getattr(bpy.ops.surface, f"primitive_nurbs_surface_{kind}_add")()
    with pytest.raises(Exception, match="it has no faces"):
        read(bpy.context)
    scenes.activate(cube)
    assert read(bpy.context).world == ()


@pytest.mark.slow
def test_a_nurbs_torus_of_exact_arcs_rests_at_its_minor_radius() -> None:
    scenes.floor()
    made = torus_object()
    made.location, made.rotation_euler = (0.0, 0.0, 0.9), (0.1, 0.0, 0.0)
    scenes.activate(made)
    scenario = read(bpy.context)
    assert scenario.subject.body.mass.volume == pytest.approx(2.0 * np.pi**2 * 0.0625, rel=1e-12)
    placement = Placement(scenario.subject.body, scenario.subject.pose, scenario.world)
    placement.run()
    assert abs(placement.states[-1].pose.translation[2] - 0.25) <= 1e-9 * 1.25


def test_splines_of_one_object_that_meet_are_one_solid_but_hidden_ones_count_not() -> None:
    scenes.floor()
    parts = [surface_object(can.points[:8].swapaxes(0, 1), can.weights[:8].T) for can in splines.can()]
    for part in parts:
        switched(curve_of(part).splines[0], "u", 2, False, True, False)
        switched(curve_of(part).splines[0], "v", 3, True, True, True)
        part.select_set(True)
    made = active_object()
    bpy.ops.object.join()
    made.location = (0.0, 0.0, 3.0)
    body = read(bpy.context).subject.body
    assert (body.closed, body.face_count, body.edge_count) == (True, 3, 2)
    assert body.mass.volume == pytest.approx(2.0 * np.pi, rel=1e-12)
    curve_of(made).splines[2].hide = True
    body = read(bpy.context).subject.body
    assert (body.closed, body.face_count, body.edge_count) == (False, 2, 2)


def test_what_changes_a_surface_leaves_the_displayed_mesh_and_says_so() -> None:
    scenes.activate(torus_object())
    modifier = active_object().modifiers.new("Bend", "SIMPLE_DEFORM")
    body = read(bpy.context).subject.body
    assert body.notes[0] == 'its mesh as displayed, not its exact surface, because of its modifier "Bend"'
    assert body.face_flat.all()
    modifier.show_viewport = False
    assert read(bpy.context).subject.body.notes == (EXACT,)
    active_object().shape_key_add(name="Basis")
    assert "because of its shape keys" in read(bpy.context).subject.body.notes[0]


def test_a_surface_that_cannot_be_exact_is_its_displayed_mesh_and_says_why() -> None:
    scenes.activate(torus_object())
    curve_of(active_object()).splines[0].points[9].co.w = -1.0
    notes = read(bpy.context).subject.body.notes
    assert notes[0] == "its mesh as displayed, not its exact surface: weights reach from -1 to 4"


def test_an_instanced_surface_counts_once_an_instance() -> None:
    made = torus_object()
    kept = bpy.data.collections.new("Kept")
    current_scene().collection.objects.unlink(made)
    kept.objects.link(made)
    scenes.activate(scenes.cube(location=(0.0, 0.0, 9.0)))
    for x in (0.0, 5.0):
        instance = scenes.linked(bpy.data.objects.new("Instance", None), (x, 0.0, 0.0))
        instance.instance_type, instance.instance_collection = "COLLECTION", kept
    world = read(bpy.context).world
    assert [body.closed for body in world] == [True, True]
