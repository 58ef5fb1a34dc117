"""Independent checkers of placements.

Nothing in this package imports `physplace_addon`: the shapes, their support functions, signed distances and
mass centres are written a second time, by other means, so that an error in the solver cannot hide itself.
"""
