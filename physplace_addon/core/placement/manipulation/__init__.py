"""Manipulation by hand: one body is shifted or turned with contact live."""
