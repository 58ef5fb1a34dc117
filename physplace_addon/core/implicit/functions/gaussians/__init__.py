"""Blobs: a bias less the sum of Gaussians of the distance to points or segments."""
