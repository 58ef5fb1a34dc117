"""Triangle meshes as they come: welded, cleaned, oriented, their shells and holes found, their mass and size."""
