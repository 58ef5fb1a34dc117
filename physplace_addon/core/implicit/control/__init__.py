"""Control points, and the surface that follows them (Witkin and Heckbert 1994, sections 3 and 5)."""
