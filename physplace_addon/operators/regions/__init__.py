# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact regions between objects: listed, drawn, reported."""
