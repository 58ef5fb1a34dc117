"""Contact between flat features: faces, straight edges and vertices, in closed form."""
