# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies that move in time: what a scene says of them, and the keys of their motion."""
