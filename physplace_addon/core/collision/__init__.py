"""Collision detection: box trees of triangles, their traversal, and the triangles' own tests.

Snyder 1995, section 3.
"""

from .closest_points import (
    EDGE,
    FACE,
    VERTEX,
    OnSegments,
    OnTriangle,
    closest_on_segments,
    closest_on_triangle,
    projects_inside,
)
from .continuous import SweptCrossing, edge_crossings, vertex_crossings
from .directional import Part, TriangleDirections, directional_pairs, directional_pairs_of_parts
from .distance import clearance, clearances, free_travel
from .kept_pairs import KeptPairs
from .top_level_tree import join_trees, roots_of_parts, swept_pairs_of_parts
from .traversal import Neglect, chosen_pairs, meeting_pairs, near_pairs, swept_pairs
from .tree import BoxTree, build_tree, remember, remember_mapped, tree_of, triangle_boxes
from .triangle_pairs import Intersection, triangles_intersect

__all__ = [
    "EDGE",
    "FACE",
    "VERTEX",
    "BoxTree",
    "Intersection",
    "KeptPairs",
    "Neglect",
    "OnSegments",
    "OnTriangle",
    "Part",
    "SweptCrossing",
    "TriangleDirections",
    "build_tree",
    "chosen_pairs",
    "clearance",
    "clearances",
    "closest_on_segments",
    "closest_on_triangle",
    "directional_pairs",
    "directional_pairs_of_parts",
    "edge_crossings",
    "free_travel",
    "join_trees",
    "meeting_pairs",
    "near_pairs",
    "projects_inside",
    "remember",
    "remember_mapped",
    "roots_of_parts",
    "swept_pairs",
    "swept_pairs_of_parts",
    "tree_of",
    "triangle_boxes",
    "triangles_intersect",
    "vertex_crossings",
]
