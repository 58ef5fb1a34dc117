"""What an artist, an animation or a script changes in the scene while objects are placed in it."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import pytest
from mathutils import Matrix

from physplace_addon.core.jobs import finished
from physplace_addon.operators.placing.session import PlacementSession
from physplace_addon.scene import differences
from physplace_addon.scene.errors import SceneError
from tests.blender_data import constrain, current_scene, current_view_layer, mesh_of, of_type
from tests.scene import scenes

Change = Callable[[bpy.types.Object], object]


@pytest.fixture(autouse=True)
def _looks_around_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "LOOKS_AROUND", 0.0)


def over_a_table() -> PlacementSession:
    """A cube of side 2 that has begun to fall on a table of height 2, which stands on a floor."""
    scenes.floor()
    scenes.cube("Table", (0.0, 0.0, 1.0))
    session = finished(
        PlacementSession.beginning(bpy.context, [scenes.cube("Cube", (0.0, 0.0, 7.0))], together=False)
    )
    session.steered.advance(1e-9)
    session.show(bpy.context)
    return session


def goes_on(session: PlacementSession) -> None:
    """Steps, and reads what has to be read, until nothing happens any more."""
    while session.is_undisturbed:
        session.steered.advance(1.0)
        session.show(bpy.context)
        if session.has_to_read(bpy.context):
            finished(session.reading(bpy.context))
            session.show(bpy.context)
        elif not session.steered.is_running:
            return


def is_moved(obj: bpy.types.Object) -> None:
    obj.location.x = 5.0


def is_scaled(obj: bpy.types.Object) -> None:
    obj.scale.z = 0.5


def gets_a_delta(obj: bpy.types.Object) -> None:
    obj.delta_location.x = 5.0


def gets_a_parent(obj: bpy.types.Object) -> None:
    obj.parent = scenes.linked(bpy.data.objects.new("Rig", None), (5.0, 0.0, 0.0))


def is_sculpted(obj: bpy.types.Object) -> None:
    mesh = mesh_of(obj)
    mesh.transform(Matrix.Scale(0.5, 4, (0.0, 0.0, 1.0)))
    mesh.update()


def gets_a_modifier(obj: bpy.types.Object) -> None:
    lower = of_type(obj.modifiers.new("Lower", "DISPLACE"), bpy.types.DisplaceModifier)
    lower.direction, lower.strength, lower.mid_level = "Z", -0.5, 0.0


def loses_its_faces(obj: bpy.types.Object) -> None:
    mesh_of(obj).clear_geometry()


def gets_a_limit(obj: bpy.types.Object) -> None:
    limit = of_type(obj.constraints.new("LIMIT_LOCATION"), bpy.types.LimitLocationConstraint)
    limit.use_max_x, limit.max_x = True, -5.0


def copies_the_floor(obj: bpy.types.Object) -> None:
    constrain(obj, "COPY_LOCATION", bpy.data.objects["Floor"])


def is_hidden(obj: bpy.types.Object) -> None:
    obj.hide_viewport = True


@pytest.mark.parametrize(
    ("change", "height"),
    [
        (is_moved, 1.0),
        (gets_a_delta, 1.0),
        (gets_a_parent, 1.0),
        (gets_a_limit, 1.0),
        (loses_its_faces, 1.0),
        (is_hidden, 1.0),
        (is_scaled, 2.5),
        (is_sculpted, 2.5),
        (gets_a_modifier, 2.5),
        (copies_the_floor, 2.0),
    ],
)
@pytest.mark.parametrize("has_come_to_rest", [False, True])
def test_what_it_falls_on_counts_as_it_is_now_when_it(
    change: Change, height: float, has_come_to_rest: bool
) -> None:
    session = over_a_table()
    if has_come_to_rest:
        goes_on(session)
        assert bpy.data.objects["Cube"].location.z == pytest.approx(3.0, abs=1e-5)
    change(bpy.data.objects["Table"])
    goes_on(session)
    session.write(bpy.context)
    assert bpy.data.objects["Cube"].location.z == pytest.approx(height, abs=1e-5)


def is_taken_out(obj: bpy.types.Object) -> None:
    obj.users_collection[0].objects.unlink(obj)


def is_deleted(obj: bpy.types.Object) -> None:
    bpy.data.objects.remove(obj)


@pytest.mark.parametrize("change", [is_moved, is_taken_out, is_deleted])
def test_what_is_instanced_counts_as_it_is_now(change: Change) -> None:
    scenes.floor()
    table, source = scenes.cube("Table", (0.0, 0.0, 1.0)), bpy.data.collections.new("Source")
    current_scene().collection.objects.unlink(table)
    source.objects.link(table)
    instancer = scenes.linked(bpy.data.objects.new("Instancer", None))
    instancer.instance_type, instancer.instance_collection = "COLLECTION", source
    cube = scenes.cube("Cube", (0.0, 0.0, 7.0))
    session = finished(PlacementSession.beginning(bpy.context, [cube], together=False))
    goes_on(session)
    assert cube.location.z == pytest.approx(3.0, abs=1e-5)
    change(table)
    goes_on(session)
    assert cube.location.z == pytest.approx(1.0, abs=1e-5)


def test_what_it_falls_on_counts_as_it_is_on_the_frame_that_is_shown() -> None:
    scenes.floor()
    table = scenes.cube("Table", (0.0, 0.0, 1.0))
    table.keyframe_insert("location", frame=1)
    table.location.x = 5.0
    table.keyframe_insert("location", frame=20)
    current_scene().frame_set(1)
    cube = scenes.cube("Cube", (0.0, 0.0, 7.0))
    session = finished(PlacementSession.beginning(bpy.context, [cube], together=False))
    current_scene().frame_set(20)
    goes_on(session)
    assert cube.location.z == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (is_scaled, "its scale has been changed"),
        (gets_a_delta, "its parent or its delta transform has been changed"),
        (gets_a_parent, "its parent or its delta transform has been changed"),
        (is_sculpted, "its shape has been changed"),
        (gets_a_modifier, "its shape has been changed"),
        (loses_its_faces, "it has no faces"),
        (gets_a_limit, 'its constraint "Limit Location" owns its transform'),
        (copies_the_floor, 'its constraint "Copy Location" owns its transform'),
        (is_hidden, "it is hidden"),
    ],
)
def test_placing_ends_and_says_why_when_the_object_itself(change: Change, words: str) -> None:
    session = over_a_table()
    change(bpy.data.objects["Cube"])
    with pytest.raises(SceneError, match=f'"Cube": {words}'):
        goes_on(session)
    session.put_back(bpy.context)
    assert bpy.data.objects["Cube"].location.z == 7.0


def test_what_is_moved_into_it_is_named_and_it_is_freed_by_extricate() -> None:
    session = over_a_table()
    goes_on(session)
    bpy.data.objects["Table"].location.z = 1.5
    goes_on(session)
    assert session.interferes
    assert 'overlaps "Table"' in session.figures()
    finished(session.extricating(bpy.context))
    goes_on(session)
    session.write(bpy.context)
    assert bpy.data.objects["Cube"].location.z == pytest.approx(3.5, abs=1e-3)


def test_neither_its_own_motion_nor_what_follows_it_is_a_change() -> None:
    session = over_a_table()
    follower = scenes.cube("Follower", (9.0, 9.0, 9.0))
    constrain(follower, "COPY_ROTATION", bpy.data.objects["Cube"])
    goes_on(session)
    world = session.item.scenario
    bpy.data.objects["Cube"].select_set(True)
    session.item.put(0, session.item.poses[0].displaced((0.0, 0.0, 1.0), (0.1, 0.2, 0.0), (0.0, 0.0, 0.0)))
    goes_on(session)
    assert session.item.scenario is world


def test_an_object_that_is_moved_while_it_is_read_stays_where_it_was_moved_to() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 7.0))
    beginning = PlacementSession.beginning(bpy.context, [cube], together=False)
    while " of " not in next(beginning).words:
        pass
    cube.location.x = 4.0
    current_view_layer().update()
    with pytest.raises(SceneError, match='"Cube": it was moved while it was read'):
        finished(beginning)
    assert cube.location.x == 4.0
