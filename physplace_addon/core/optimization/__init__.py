"""Optimization without geometry: non-negative least squares, the step's quadratic programme, cones."""
