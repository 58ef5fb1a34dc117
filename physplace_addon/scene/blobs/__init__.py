"""Blobs: empties read as an implicit function, and written back."""
