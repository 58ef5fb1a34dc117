"""Simulations that placement ends: what has almost come to rest goes on to a proven rest."""
