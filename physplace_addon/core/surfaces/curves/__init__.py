"""Exact curves: pieces joined end to end, rational ones, circles, paths of tubes, profiles of revolutions."""
