"""An excerpt of a body: some of its flat triangles, with the edges and vertices that these own.

What is looked up of a body, such as its topology, takes time as the body is large.  Where only a place in it
matters, an excerpt does.  Its features are those of the whole body, with the directions in which they can be
met; only at its rim, where it was cut, faces and edges end too soon.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Bools
from ..surfaces.flat import Segments, Triangles
from .body import Body


def is_of_triangles(body: Body) -> bool:
    """Return whether a body is a mesh: each triangle a flat face, each segment an edge."""
    flat = len(body.surfaces) == 1 and isinstance(body.surfaces[0], Triangles)
    straight = not body.curves or (len(body.curves) == 1 and isinstance(body.curves[0], Segments))
    faces, edges = len(body.triangles), len(body.segments)
    return flat and straight and body.face_count == faces and body.edge_count == edges


def excerpt(body: Body, kept: Bools) -> Body:
    """Return some triangles (t,) of a body that is a mesh; one or more.

    Its mass, radius and notes are those of the whole body, and it counts as closed if that is.
    """
    surface = body.surfaces[0]
    assert isinstance(surface, Triangles)
    rows = np.flatnonzero(kept)
    number = np.full(len(kept), -1)
    number[rows] = np.arange(len(rows))
    segments = np.flatnonzero(kept[body.segment_owner])
    vertices = np.flatnonzero(kept[body.vertex_owner])
    points, corners = np.unique(body.triangle_corners[rows], return_inverse=True)
    counts = np.diff(body.cone_start)[vertices]
    cone_start = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
    cones = np.repeat(body.cone_start[vertices] - cone_start[:-1], counts) + np.arange(cone_start[-1])
    curves = tuple(
        curve.take(body.edge_index[body.segment_edge[segments]])
        for curve in body.curves
        if isinstance(curve, Segments) and len(segments)
    )
    faces, edges = np.arange(len(rows)), np.arange(len(segments))
    return replace(
        body,
        surfaces=(surface.take(body.face_index[body.triangle_face[rows]]),),
        face_surface=np.zeros(len(rows), np.intp),
        face_index=faces,
        curves=curves,
        edge_curve=np.zeros(len(segments), np.intp),
        edge_index=edges,
        vertices=body.vertices[vertices],
        cone_start=cone_start,
        cone_directions=body.cone_directions[cones],
        triangles=body.triangles[rows],
        triangle_face=faces,
        triangle_uv=body.triangle_uv[rows],
        triangle_bound=body.triangle_bound[rows],
        triangle_corners=corners.reshape(-1, 3),
        point_count=len(points),
        segments=body.segments[segments],
        segment_edge=edges,
        segment_t=body.segment_t[segments],
        segment_bound=body.segment_bound[segments],
        segment_owner=number[body.segment_owner[segments]],
        vertex_owner=number[body.vertex_owner[vertices]],
        face_flat=body.face_flat[body.triangle_face[rows]],
    )
