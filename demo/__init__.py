# SPDX-License-Identifier: GPL-3.0-or-later
"""`make demo`: PhysPlace in Blender without a window. Uses the add-on as an artist's script would."""
