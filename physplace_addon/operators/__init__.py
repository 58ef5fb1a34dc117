# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators: read the scene, own a solver, write the scene back."""
