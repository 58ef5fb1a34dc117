"""Functions that are distances or nearly so, in units of length: spheres, ellipsoids, half-spaces, quadrics."""
