# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties that the extension adds to scenes and objects."""
