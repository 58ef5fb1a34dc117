# SPDX-License-Identifier: GPL-3.0-or-later
"""Jointed figures: objects joined by constraints and armatures, read as linkages, and written as poses."""
