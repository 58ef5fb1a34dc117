"""Closed triangle meshes of implicit surfaces, from points that sample them."""
