# SPDX-License-Identifier: GPL-3.0-or-later
"""Transforms, keys, meshes and reports, written back to objects."""
