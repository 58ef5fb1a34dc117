"""Functions that are distances or nearly so: spheres, ellipsoids, half-spaces, quadrics."""
