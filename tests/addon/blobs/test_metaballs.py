"""Metaballs made into blobs and back: within what is stated, with what is lost named."""

from __future__ import annotations

from typing import Any, cast

import bpy
import numpy as np
import pytest

from physplace_addon.scene.blobs.metaballs import from_metaballs, to_metaballs
from physplace_addon.scene.blobs.models import read_blob
from tests.blender_data import active_object, current_view_layer, physplace
from tests.scene import scenes


def metaball(*elements: dict[str, Any]) -> bpy.types.Object:
    """A metaball object of elements, each with its own properties."""
    data: Any = bpy.data.metaballs.new("Mball")
    data.resolution = 0.1
    for each in elements:
        made = data.elements.new(type=each.get("type", "BALL"))
        for key, value in each.items():
            if key != "type":
                setattr(made, key, value)
    made_object = scenes.linked(bpy.data.objects.new("Mball", data))
    made_object.location, made_object.scale = (1.0, 2.0, 3.0), (0.5, 0.5, 0.5)
    current_view_layer().update()
    return made_object


def surface(obj: bpy.types.Object) -> np.ndarray:
    """The vertices of a metaball's surface, in the world."""
    evaluated: Any = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    found = np.array([np.array(evaluated.matrix_world @ vertex.co) for vertex in mesh.vertices])
    evaluated.to_mesh_clear()
    return found


MELTED = (
    {"co": (0.0, 0.0, 0.0), "radius": 2.0},
    {"co": (1.5, 0.0, 0.0), "radius": 1.5, "stiffness": 4.0},
    {"co": (0.0, 0.8, 0.3), "radius": 1.0, "use_negative": True},
    {"type": "CAPSULE", "co": (0.0, -0.8, 0.6), "radius": 1.0, "size_x": 1.2},
)


def test_metaballs_there_and_back_are_the_same_surface() -> None:
    ball = metaball(*MELTED)
    before = surface(ball)
    there = from_metaballs(bpy.context, ball)
    assert there.lost == ()
    assert 0.0 < there.apart < 0.06
    model = read_blob(there.made)
    own = before @ np.linalg.inv(model.frame)[:3, :3].T + np.linalg.inv(model.frame)[:3, 3]
    value, slope = model.function.gradient(own)
    off = np.abs(value) / np.linalg.norm(slope, axis=1) / np.ptp(own, axis=0).max()
    assert off.max() == pytest.approx(there.apart, rel=1e-5)
    back = to_metaballs(bpy.context, there.made)
    assert back.lost == ()
    assert back.apart < 0.06
    old, new = (cast("Any", each.data).elements for each in (ball, back.made))
    kinds = [("BALL", 2.0, 2.0, False), ("BALL", 1.5, 4.0, False), ("BALL", 1.0, 2.0, True)]
    kinds += [("CAPSULE", 1.0, 2.0, False)]
    found = sorted((e.type, 2.0 * e.radius, e.stiffness, e.use_negative) for e in new)
    for expected, each in zip(sorted(kinds), found, strict=True):
        assert each == (
            expected[0],
            pytest.approx(expected[1], rel=1e-4),
            pytest.approx(expected[2], rel=1e-4),
            expected[3],
        )
    assert len(old) == len(new)
    again = surface(back.made)
    np.testing.assert_allclose(again.min(axis=0), before.min(axis=0), atol=0.03)
    np.testing.assert_allclose(again.max(axis=0), before.max(axis=0), atol=0.03)


def test_what_is_lost_is_named_and_the_metaballs_are_hidden_or_deleted() -> None:
    ball = metaball({"radius": 2.0}, {"type": "CUBE", "co": (3.0, 0.0, 0.0), "radius": 1.0})
    other = metaball({"type": "ELLIPSOID", "co": (0.0, 0.0, 3.0), "size_x": 0.5})
    assert other.name == "Mball.001"
    scenes.activate(other)
    assert physplace.blob_from_metaballs() == {"FINISHED"}
    assert not ball.visible_get()
    assert not other.visible_get()
    blob = active_object()
    kinds = sorted(child["blob.element"] for child in blob.children)
    assert kinds == ["rounded_box", "sphere", "sphere"]
    converted = from_metaballs(bpy.context, ball)
    assert any("melting of a cube" in each for each in converted.lost)
    assert any("melting of an ellipsoid" in each for each in converted.lost)
    ball.hide_set(False)
    scenes.activate(ball)
    assert physplace.blob_from_metaballs(keep=False) == {"FINISHED"}
    assert not [obj for obj in bpy.data.objects if obj.type == "META"]


def test_what_metaballs_cannot_is_refused_or_named(blob: bpy.types.Object) -> None:
    physplace.blob_add(kind="torus", location=(0.0, 0.0, 2.0))
    bpy.data.objects["Sphere"]["blob.mirror"] = True
    scenes.activate(blob)
    assert physplace.blob_to_metaballs() == {"FINISHED"}
    made = active_object()
    assert len(cast("Any", made.data).elements) == 3
    assert to_metaballs(bpy.context, blob).lost == ("torus element",)
    blob["blob"] = "intersection"
    scenes.activate(blob)
    before = len(bpy.data.objects), len(bpy.data.metaballs)
    with pytest.raises(RuntimeError, match='combined by "intersection", which metaballs cannot'):
        physplace.blob_to_metaballs()
    assert (len(bpy.data.objects), len(bpy.data.metaballs)) == before


@pytest.mark.parametrize("threshold", [0.0, 1e-9])
def test_a_threshold_of_almost_nothing_is_raised_and_named(threshold: float) -> None:
    ball = metaball({"radius": 2.0})
    cast("Any", ball.data).threshold = threshold
    scenes.activate(ball)
    assert physplace.blob_from_metaballs() == {"FINISHED"}
    (part,) = active_object().children
    assert part["blob.element"] == "sphere"
    assert "a threshold below 0.001: it is 0.001 instead" in from_metaballs(bpy.context, ball).lost
