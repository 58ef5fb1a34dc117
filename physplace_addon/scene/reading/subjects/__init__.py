# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that move: which ones they are, and their bodies."""
