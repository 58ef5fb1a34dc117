"""Where smooth-shaded meshes are creased, and which normals they follow."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.surfaces.smooth import smooth_meshes as meshes


@pytest.mark.slow
def test_a_large_face_stays_flat_when_its_edges_are_rounded() -> None:
    body = meshes.curved(*meshes.rounded_slab())
    assert body.face_count == 1
    inner = body.points[np.hypot(body.points[:, 0], body.points[:, 1]) < 0.85]
    np.testing.assert_allclose(np.abs(inner[:, 2] - 0.25), 0.25, atol=1e-14)


def test_marked_edges_and_wide_angles_are_creases() -> None:
    points, faces = meshes.torus()
    ring = [(i, (i + 1) % 24) for i in range(24)]
    body = meshes.curved(points, faces, sharp=ring)
    assert (body.face_count, body.edge_count) == (1, 1)
    assert meshes.body_of(*meshes.cube()) == (None, ())
    none, notes = meshes.body_of(*meshes.cone())
    assert none is None
    assert "no smooth surface" in notes[0]


def test_normals_set_by_hand_are_followed_and_part_faces() -> None:
    points, faces = meshes.sphere()
    at = np.asarray(points, dtype=float)[np.concatenate([np.array(face) for face in faces])]
    plain = meshes.curved(points, faces)
    body = meshes.curved(points, faces, wanted=at)
    assert abs(body.mass.volume - 4 / 3 * np.pi) < abs(plain.mass.volume - 4 / 3 * np.pi)
    cage = meshes.cage_of(faces, points)
    a, b, c = (at[cage.starts[:-1] + i] for i in range(3))
    flat = np.repeat(np.cross(b - a, c - a), cage.sizes, axis=0)
    assert meshes.body_of(points, faces, wanted=flat) == (None, ())
