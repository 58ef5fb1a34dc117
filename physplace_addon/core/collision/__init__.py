"""Collision detection: box trees of triangles, their traversal, and the triangles' own tests (paper 3)."""

from .closest_points import (
    EDGE,
    FACE,
    VERTEX,
    OnSegments,
    OnTriangle,
    closest_on_segments,
    closest_on_triangle,
    standing_over,
)
from .continuous import Crossing, edge_crossings, vertex_crossings
from .directional import Directions, directional_pairs
from .distance import clearance, free_travel
from .top_level_tree import join
from .traversal import Neglect, near_pairs, swept_pairs
from .tree import BoxTree, build, refit, remember, tree_of, triangle_boxes
from .triangle_pairs import Intersection, TriangleGap, closest_on_triangles, triangles_intersect

__all__ = [
    "EDGE",
    "FACE",
    "VERTEX",
    "BoxTree",
    "Crossing",
    "Directions",
    "Intersection",
    "Neglect",
    "OnSegments",
    "OnTriangle",
    "TriangleGap",
    "build",
    "clearance",
    "closest_on_segments",
    "closest_on_triangle",
    "closest_on_triangles",
    "directional_pairs",
    "edge_crossings",
    "free_travel",
    "join",
    "near_pairs",
    "refit",
    "remember",
    "standing_over",
    "swept_pairs",
    "tree_of",
    "triangle_boxes",
    "triangles_intersect",
    "vertex_crossings",
]
