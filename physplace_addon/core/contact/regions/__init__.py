"""Contact between flat features: contact regions, and candidate pairs and interface points in closed form."""
