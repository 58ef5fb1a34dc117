"""Surfaces in closed form: planes, star-shaped surfaces, surfaces of revolution, tubes."""
