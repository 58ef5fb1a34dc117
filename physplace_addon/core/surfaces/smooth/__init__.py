"""Curved faces that interpolate a smooth-shaded mesh: its vertices, and its normals."""
