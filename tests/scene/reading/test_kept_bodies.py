"""Bodies are kept from one reading to the next, by what their meshes are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import bpy
import numpy as np
import pytest

from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.collision import tree_of
from physplace_addon.scene.reading.kept_bodies import KeptBodies, MadeBody, digest, kept
from physplace_addon.scene.reading.scenario import Scenario, read
from tests.blender_data import mesh_of
from tests.core.meshes import torus
from tests.scene import scenes


@pytest.fixture(autouse=True)
def _nothing_is_kept() -> Iterator[None]:
    kept.clear()
    yield
    kept.clear()


def cubes_on_a_floor() -> tuple[Scenario, bpy.types.Object, bpy.types.Object]:
    """A cube that is read above another cube, which stands on a floor."""
    scenes.floor()
    below, above = scenes.cube("Below", (0.0, 0.0, 1.0)), scenes.cube("Above", (0.3, 0.0, 4.0))
    return read(bpy.context, [above]), below, above


def test_what_has_not_changed_is_the_same_body_when_it_is_read_again() -> None:
    first, _, above = cubes_on_a_floor()
    again = read(bpy.context, [above])
    assert again.subject.body is first.subject.body
    assert all(one is other for one, other in zip(first.world, again.world, strict=True))


def test_a_pose_is_no_part_of_the_body_that_moves() -> None:
    first, _, above = cubes_on_a_floor()
    above.location, above.rotation_euler = (1.0, 0.5, 6.0), (0.3, 0.2, 0.1)
    assert read(bpy.context, [above]).subject.body is first.subject.body


def test_a_changed_vertex_is_seen() -> None:
    _, below, above = cubes_on_a_floor()
    mesh_of(below).vertices[7].co.z = 3.0
    mesh_of(below).update()
    world = {body.name: body for body in read(bpy.context, [above]).world}
    assert world["Below"].points[:, 2].max() == pytest.approx(4.0)


def test_a_changed_modifier_or_shading_is_seen() -> None:
    _, below, above = cubes_on_a_floor()
    modifier = below.modifiers.new("Subdivision", "SUBSURF")
    assert isinstance(modifier, bpy.types.SubsurfModifier)
    round_one = {body.name: body for body in read(bpy.context, [above]).world}["Below"]
    creases = mesh_of(below).attributes.new("crease_edge", "FLOAT", "EDGE")
    assert isinstance(creases, bpy.types.FloatAttribute)
    creases.data.foreach_set("value", np.ones(12))
    sharp_one = {body.name: body for body in read(bpy.context, [above]).world}["Below"]
    assert not round_one.face_flat.any()
    assert round_one.mass.volume < sharp_one.mass.volume == pytest.approx(8.0, rel=1e-3)


def test_linked_and_equal_meshes_are_made_once() -> None:
    scenes.floor()
    above = scenes.cube("Above", (0.0, 0.0, 9.0))
    monkeys = []
    for number in range(3):
        bpy.ops.mesh.primitive_monkey_add(size=1.0, location=(0.0, 0.0, 1.0 + 2.0 * number))
        monkeys.append(bpy.context.object)
    linked, equal, other = monkeys
    assert linked is not None
    assert equal is not None
    assert other is not None
    linked.data = equal.data
    mesh_of(other).vertices[0].co.x += 0.01
    before = len(kept)
    read(bpy.context, [above])
    floor, cube, placed = 1, 1, 5  # placed: each of the five objects at its place
    movers = 1
    assert len(kept) - before == floor + cube + 2 + placed + movers


def test_a_scaled_copy_shares_the_body_and_is_exactly_scaled() -> None:
    scenes.floor()
    above = scenes.cube("Above", (0.0, 0.0, 9.0))
    small = scenes.cube("Small", (0.0, 0.0, 1.0))
    small.scale = (0.5, 0.5, 0.5)
    small.rotation_euler = (0.3, 0.2, 0.1)
    body = {body.name: body for body in read(bpy.context, [above]).world}["Small"]
    assert body.mass.volume == pytest.approx(1.0, rel=1e-6)


def soup(number: int) -> MadeBody:
    """A torus of its own of 200 triangles."""
    points, triangles = torus(20, 5)
    return MadeBody(polyhedron((1.0 + number) * points, triangles, "torus"))


def test_what_was_used_longest_ago_is_forgotten_above_the_limit() -> None:
    cache = KeptBodies()
    for number in range(4):
        cache.made(number, partial(soup, number))
    assert cache.bytes > 4 * 200 * 9 * 8
    cache.limit = 0.6 * cache.bytes
    cache.made(0, lambda: pytest.fail("it is kept"))
    cache.trim()
    assert cache.bytes <= cache.limit
    assert cache.has_body(0)
    assert cache.has_body(3)
    assert not cache.has_body(1)


def test_what_hangs_on_a_body_counts() -> None:
    cache = KeptBodies()
    body = cache.made("soup", lambda: soup(0)).body
    assert body is not None
    before = cache.bytes
    tree = tree_of(body)
    assert cache.bytes >= before + tree.lower.nbytes + tree.upper.nbytes


def test_digests_differ_where_contents_do() -> None:
    ones = np.ones(6)
    contents = [
        ones,
        ones.reshape(2, 3),
        ones.astype(np.float32),
        (ones, ones),
        None,
        "1",
        1,
        1.0,
        (1, (1,)),
        (1, 1),
    ]
    assert len({digest(content) for content in contents}) == len(contents)
    assert digest(ones.copy(), 2) == digest(ones, 2)
