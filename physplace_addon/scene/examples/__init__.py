# SPDX-License-Identifier: GPL-3.0-or-later
"""The example scenes, built by code: each is what a recipe of the manual begins with."""
