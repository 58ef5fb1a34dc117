"""Optimization without geometry: non-negative least squares, the quadratic programme of a step, cones."""
