"""Operators that place objects: at once, by hand, by forces, copy after copy."""
