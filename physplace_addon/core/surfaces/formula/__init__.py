"""Surfaces whose points are formulas in two parameters, with proven bounds."""
