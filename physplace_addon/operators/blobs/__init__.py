"""Operators on blobs: adding, sculpting, baking, meshes, particles."""
