# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on kept rests: keying them, placing them again, the forces on the way."""
