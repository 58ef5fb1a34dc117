"""What a simulation reads of a scene: coefficients, masses, motions; and what it refuses."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from physplace_addon.core.errors import PhysPlaceError
from physplace_addon.scene.access import present
from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.writing.transform import channels
from tests.blender_data import current_scene, load_object, scene_settings
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import body, constraint, key, make_linear, names, read

FPS = 24.0


def test_without_any_settings_the_defaults_of_the_scene_count() -> None:
    scenes.floor()
    scene_settings().body_friction, scene_settings().body_restitution = 0.25, 0.5
    scene_settings().steps_per_second = 480
    found = read(scenes.cube("Cube", (0.0, 0.0, 3.0)))
    np.testing.assert_allclose(found.scene.laws.friction, (0.25, 0.25))
    np.testing.assert_allclose(found.scene.laws.restitution, (0.5, 0.5))
    assert found.scene.step == pytest.approx(1.0 / 480.0)
    assert names(found) == ["Cube", "Floor"]
    assert found.scene.inertia.mass[0] == pytest.approx(8.0)
    assert found.left_out == ()


def test_blender_s_settings_count_and_custom_properties_come_before_them() -> None:
    floor, cube = scenes.floor(), scenes.cube("Cube", (0.0, 0.0, 3.0))
    body(floor, "PASSIVE", friction=0.75, restitution=0.25)
    body(cube, friction=0.125, restitution=0.5, mass=3.0)
    found = read(cube)
    np.testing.assert_allclose(found.scene.laws.friction, (0.125, 0.75))
    np.testing.assert_allclose(found.scene.laws.restitution, (0.5, 0.25))
    assert found.scene.inertia.mass[0] == pytest.approx(3.0)
    cube["physplace_friction"], cube["physplace_restitution"] = 0.0, 1
    cube["physplace_density"] = 2.0
    found = read(cube)
    assert (found.scene.laws.friction[0], found.scene.laws.restitution[0]) == (0.0, 1.0)
    assert found.scene.inertia.mass[0] == pytest.approx(16.0)


def test_damping_is_that_of_rigid_bodies_and_others_have_none() -> None:
    cube, other, lift = (scenes.cube(name, (4.0 * i, 0.0, 0.0)) for i, name in enumerate("ABC"))
    body(cube, linear_damping=0.5, angular_damping=1.0)
    key(lift, 1, (8.0, 0.0, 0.0))
    key(lift, 11, (8.0, 0.0, 1.0))
    current_scene().frame_set(1)
    found = read(cube, other)
    kept = found.scene.damping.kept(1.0)
    order = [names(found).index(name) for name in "ABC"]
    np.testing.assert_allclose(kept[order, 0], (0.5, 1.0, 1.0), rtol=1e-6)
    np.testing.assert_allclose(kept[order, 3], (0.0, 1.0, 1.0), atol=1e-12)


def test_gravity_and_time_are_those_of_the_scene() -> None:
    cube, scene = scenes.cube(), current_scene()
    scene.render.fps, scene.render.fps_base, scene.gravity = 30, 1.001, (1.0, 2.0, -3.0)
    found = read(cube)
    assert found.seconds_a_frame == pytest.approx(1.001 / 30.0)
    np.testing.assert_allclose(found.scene.gravity, (1.0, 2.0, -3.0))
    scene_settings().use_scene_gravity, scene_settings().gravity = False, (1.0, 0.0, 0.0)
    np.testing.assert_allclose(read(cube).scene.gravity, (np.sqrt(14.0), 0.0, 0.0), rtol=1e-6)
    scene.use_gravity = False
    np.testing.assert_array_equal(read(cube).scene.gravity, np.zeros(3))


def test_the_speed_and_the_gravity_of_blender_s_rigid_bodies_count() -> None:
    cube = scenes.cube()
    body(cube)
    world = present(current_scene().rigidbody_world)
    world.time_scale, present(world.effector_weights).gravity = 0.5, 0.0
    found = read(cube)
    assert found.seconds_a_frame == pytest.approx(0.5 / FPS)
    np.testing.assert_array_equal(found.scene.gravity, np.zeros(3))


def test_a_passive_animated_body_follows_its_keys_and_the_scene_stays_as_it_was() -> None:
    cube, lift = scenes.cube("Cube", (0.0, 0.0, 5.0)), scenes.cube("Lift", (0.0, 0.0, 0.0))
    body(lift, "PASSIVE", kinematic=True)
    key(lift, 1, (0.0, 0.0, 0.0))
    key(lift, 11, (0.0, 0.0, 1.0))
    current_scene().frame_set(1)
    lift.location.x = 0.5  # without a key
    found = read(cube, frames=10)
    assert names(found) == ["Cube", "Lift"]
    np.testing.assert_array_equal(found.scene.given, (False, True))
    track = found.scene.tracks[1]
    np.testing.assert_allclose(track.times, np.arange(11) / FPS)
    np.testing.assert_allclose([pose.translation[2] for pose in track.poses], np.arange(11) / 10.0, atol=1e-6)
    assert lift.location.x == 0.5
    assert current_scene().frame_current == 1
    assert present(current_scene().rigidbody_world).enabled


def test_a_child_of_something_animated_moves_and_what_does_not_move_stands() -> None:
    cube, parent, child = scenes.cube("Cube", (0.0, 0.0, 9.0)), scenes.cube("Parent"), scenes.cube("Child")
    child.parent, child.location = parent, (4.0, 0.0, 0.0)
    key(parent, 1, (0.0, 0.0, 0.0))
    key(parent, 5, (0.0, 0.0, 0.0))
    assert read(cube).scene.tracks == {}
    key(parent, 11, (0.0, 1.0, 0.0))
    current_scene().frame_set(1)
    found = read(cube)
    assert sorted(names(found)) == ["Child", "Cube", "Parent"]
    assert len(found.scene.tracks) == 2
    np.testing.assert_allclose(
        found.scene.tracks[names(found).index("Child")].poses[-1].translation, (4, 1, 0)
    )


def test_a_keyed_object_starts_with_its_velocity() -> None:
    cube = scenes.cube("Cube")
    key(cube, 1, (0.0, 0.0, 0.0))
    key(cube, 11, (0.0, 0.0, 5.0))
    current_scene().frame_set(11)
    found = read(cube)
    np.testing.assert_allclose(found.motion.velocity(found.scene.inertia)[0], (0, 0, 0.5 * FPS), rtol=1e-4)
    np.testing.assert_allclose(found.motion.spin[0], 0.0, atol=1e-4)


def test_a_turning_object_starts_with_its_spin() -> None:
    cube = scenes.cube("Cube")
    for frame, angle in ((1, 0.0), (11, 1.0)):
        cube.rotation_euler.z = angle
        cube.keyframe_insert("rotation_euler", frame=frame)
    make_linear(cube)
    current_scene().frame_set(11)
    found = read(cube)
    np.testing.assert_allclose(found.motion.spin[0], (0.0, 0.0, 0.1 * FPS), rtol=1e-3, atol=1e-3)


def test_an_object_whose_first_key_is_here_starts_at_rest() -> None:
    cube = scenes.cube("Cube")
    key(cube, 1, (0.0, 0.0, 0.0))
    np.testing.assert_array_equal(read(cube).motion.rates, np.zeros((1, 6)))


def test_joints_and_the_bodies_they_join_are_read() -> None:
    post, arm = scenes.cube("Post"), scenes.cube("Arm", (4.0, 0.0, 0.0))
    body(post, "PASSIVE")
    body(arm)
    constraint("HINGE", post, arm)
    assert len(read(arm).scene.joints) == 1


def test_settings_that_do_not_count_are_named_once() -> None:
    cubes = [scenes.cube(name, (4.0 * i, 0.0, 0.0)) for i, name in enumerate("AB")]
    for cube in cubes:
        body(cube, use_margin=True, collision_shape="SPHERE")
    wind = scenes.linked(bpy.data.objects.new("Wind", None))
    scenes.activate(wind)
    bpy.ops.object.forcefield_toggle()
    assert read(*cubes).left_out == (
        'the collision shape of "A" and "B"',
        'the collision margin of "A" and "B"',
        'the force field of "Wind"',
    )


def _refused(message: str, *objects: bpy.types.Object) -> None:
    before = {obj.name: channels(obj) for obj in bpy.data.objects}
    with pytest.raises(PhysPlaceError, match=message):
        read(*objects)
    for name, values in before.items():
        np.testing.assert_array_equal(channels(bpy.data.objects[name]).location, values.location)


@pytest.mark.parametrize("mass", [0.0, np.inf])
def test_a_mass_that_is_none_is_an_error(mass: float) -> None:
    cube = scenes.cube()
    body(cube, mass=mass)
    _refused(f'"Cube": the mass of its rigid body is {mass:g}; set it', cube)


@pytest.mark.parametrize(
    ("key", "value", "remedy"),
    [
        ("physplace_friction", -1.0, "0 or more"),
        ("physplace_friction", "much", "0 or more"),
        ("physplace_restitution", 1.5, "from 0 to 1"),
    ],
)
def test_a_coefficient_that_is_none_is_an_error(key: str, value: object, remedy: str) -> None:
    cube = scenes.cube()
    cube[key] = value
    _refused(f'"Cube": its property "{key}" is .*{remedy}', cube)


def test_a_scale_of_zero_is_an_error() -> None:
    cube = scenes.cube()
    cube.scale.x = 0.0
    _refused("scale is zero|flattens", cube)


def test_an_animated_parent_is_an_error() -> None:
    parent, cube = scenes.linked(bpy.data.objects.new("Parent", None)), scenes.cube()
    cube.parent = parent
    key(parent, 1, (0.0, 0.0, 0.0))
    key(parent, 11, (0.0, 1.0, 0.0))
    current_scene().frame_set(1)
    _refused('"Cube": its parent "Parent" is animated; clear the parent', cube)


@pytest.mark.parametrize(
    ("kind", "settings", "reason"),
    [
        ("PASSIVE", {}, "is a passive rigid body"),
        ("ACTIVE", {"enabled": False}, "is not dynamic"),
        ("ACTIVE", {"kinematic": True}, "is an animated rigid body"),
    ],
)
def test_there_must_be_something_that_moves(kind: str, settings: dict[str, object], reason: str) -> None:
    cube = scenes.cube()
    body(cube, kind, **settings)
    _refused(reason, cube)


def test_an_object_with_later_keys_follows_them() -> None:
    cube = scenes.cube()
    key(cube, 5, (0.0, 0.0, 0.0))
    current_scene().frame_set(1)
    _refused("has keys after the present frame", cube)


def test_a_linked_object_is_an_error(tmp_path: Path) -> None:
    foreign, path = scenes.cube("Foreign"), tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {foreign})
    bpy.data.objects.remove(foreign)
    linked = load_object(path, "Foreign", link=True)
    current_scene().collection.objects.link(linked)
    with pytest.raises(SceneError, match="linked from"):
        read(linked)
