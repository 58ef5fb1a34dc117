"""The drift of a step on paths that are free."""
