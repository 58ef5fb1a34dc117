"""Interface points of curved features: creation, tracking, transitions (Snyder 1995, section 4)."""
