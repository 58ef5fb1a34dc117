# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulating: selected objects move in time, and their motion is keyed."""
