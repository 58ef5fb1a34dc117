"""Catmull-Clark limit surfaces of cages, as exact faces."""
