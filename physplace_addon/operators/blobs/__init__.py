# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on blobs: adding, sculpting, baking, meshes, particles."""
