"""Surfaces of Bezier patches: nets, joins, borders, one smooth face of many patches."""
