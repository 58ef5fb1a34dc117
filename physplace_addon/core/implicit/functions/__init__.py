"""Implicit functions F(x, q): single ones, sums of Gaussians, solids, combinations."""
