# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects moved by hand: dragged, turned, pulled at a point, and the ghost of the rest they would take."""
