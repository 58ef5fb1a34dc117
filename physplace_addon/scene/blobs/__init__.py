# SPDX-License-Identifier: GPL-3.0-or-later
"""Blobs: empties read as an implicit function, and written back."""
