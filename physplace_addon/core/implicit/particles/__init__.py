"""Floaters: particles that spread over an implicit surface and show it (Witkin and Heckbert 1994, section 4)."""
