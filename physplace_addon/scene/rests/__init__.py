"""The rests that an object keeps, and their keys."""
