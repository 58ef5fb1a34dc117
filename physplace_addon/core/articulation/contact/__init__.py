"""What keeps a linkage clear of the world and of itself."""
