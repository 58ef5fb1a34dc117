"""What holds for every polyhedron."""

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies.body import Body


def normals(body: Body) -> Floats:
    a, b, c = body.triangles[:, 0], body.triangles[:, 1], body.triangles[:, 2]
    normal = np.cross(b - a, c - a)
    result: Floats = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    return result


def check_structure(body: Body) -> None:
    """What holds for every polyhedron, whatever its state."""
    corners = body.face_geometry(np.repeat(body.triangle_face, 3), body.triangle_uv.reshape(-1, 2))
    assert np.allclose(corners.point, body.triangles.reshape(-1, 3), rtol=0.0, atol=1e-14 * body.radius)
    assert np.allclose(corners.normal[::3], normals(body), atol=1e-9)
    assert np.array_equal(body.points[body.triangle_corners], body.triangles)
    ends = body.edge_geometry(np.repeat(body.segment_edge, 2), body.segment_t.reshape(-1))
    assert np.allclose(ends.point, body.segments.reshape(-1, 3), rtol=0.0, atol=1e-14 * body.radius)
    owners = body.triangles[body.segment_owner]
    for end in range(2):
        assert np.all(np.any(np.all(owners == body.segments[:, None, end], axis=2), axis=1))
    beside_vertex = body.triangles[body.vertex_owner]
    assert np.all(np.any(np.all(beside_vertex == body.vertices[:, None], axis=2), axis=1))
    assert np.allclose(np.linalg.norm(body.cone_directions, axis=1), 1.0)
    assert len(body.cone_start) == len(body.vertices) + 1
    assert body.cone_start[-1] == len(body.cone_directions)
    assert np.linalg.norm(body.points - body.points.mean(axis=0), axis=1).max() <= 2.0 * body.radius
