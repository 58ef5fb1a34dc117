"""Contact between flat features in closed form: candidate pairs, interface points, the lowest of them."""
