"""Implicit surfaces F(x, q) = 0: functions, the particles that show them and the points that pull them."""
