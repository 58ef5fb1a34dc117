"""Topology: planar faces, straight edges and vertices of a polyhedron, and how they border each other."""

from .pieces import Pieces, pieces_of
from .topology import Topology, topology_of

__all__ = ["Pieces", "Topology", "pieces_of", "topology_of"]
