"""Transforms, keys, meshes and reports, written back to objects."""
