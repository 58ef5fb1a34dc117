"""Operators on kept rests: keying them, placing them again, the forces on the way."""
