# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of what runs in a view, and the key of the pie: keymaps, and how keys are shown."""
