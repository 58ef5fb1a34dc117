"""Depenetration: overlapping bodies are moved apart by the least motion."""
