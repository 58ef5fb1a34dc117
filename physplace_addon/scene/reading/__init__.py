# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluated objects and their custom properties, read into values of core."""
