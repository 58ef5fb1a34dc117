"""Topology: planar faces, straight edges and vertices of a polyhedron, and how they border each other."""

from .topology import Topology, topology_of

__all__ = ["Topology", "topology_of"]
