# SPDX-License-Identifier: GPL-3.0-or-later
"""Many variations of one scene without a window, from a file that says what is scattered and how."""
