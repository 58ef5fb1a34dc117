"""Bodies, and where they come from: triangle meshes, exact surfaces, several bodies as one."""

from .body import Body
from .body_exact import exact
from .body_merging import merge
from .polyhedron import polyhedron

__all__ = ["Body", "exact", "merge", "polyhedron"]
