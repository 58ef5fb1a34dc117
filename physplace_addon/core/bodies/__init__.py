"""Bodies, and where they come from: triangle meshes, exact surfaces, several bodies as one."""

from .body import Body
from .compound import merge
from .exact_surfaces import exact
from .mesh_body import MeshBody, make_whole
from .polyhedra import polyhedron

__all__ = ["Body", "MeshBody", "exact", "make_whole", "merge", "polyhedron"]
