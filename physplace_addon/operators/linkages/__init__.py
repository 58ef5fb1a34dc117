# SPDX-License-Identifier: GPL-3.0-or-later
"""Posing jointed figures: dragging, pulling along a path, solving for a goal."""
