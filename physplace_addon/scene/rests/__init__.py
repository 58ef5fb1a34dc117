# SPDX-License-Identifier: GPL-3.0-or-later
"""The rests that an object keeps, and their keys."""
