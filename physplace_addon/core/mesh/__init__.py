"""Triangle meshes as they come: welded, cleaned, oriented; their shells, holes, mass and size."""
