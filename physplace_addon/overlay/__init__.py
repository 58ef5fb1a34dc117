# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn in the viewport: contacts, forces, collisions, floater disks."""
