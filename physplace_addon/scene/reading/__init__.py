"""Evaluated objects and their custom properties, read into values of core."""
