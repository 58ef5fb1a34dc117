"""Floaters: particles that spread over an implicit surface (Witkin and Heckbert 1994, section 4)."""
