"""Creases of implicit surfaces: where normals jump, points on them, curves through these, and corners."""
