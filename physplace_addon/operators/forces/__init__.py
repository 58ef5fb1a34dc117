# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that let a force act at a point of the active object."""
