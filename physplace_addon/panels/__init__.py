# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar tab PhysPlace: layout only, no logic, no data written."""
