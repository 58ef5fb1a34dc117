# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that place objects: at once, by hand, one after another, copy after copy."""
