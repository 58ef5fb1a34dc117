"""Exact curves: Bezier pieces joined end to end, rational ones, paths of tubes, profiles of revolutions."""
