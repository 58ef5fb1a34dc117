"""Exact surfaces and edges: parametric faces with derivatives to second order, and their tessellation."""
