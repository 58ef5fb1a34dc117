# SPDX-License-Identifier: GPL-3.0-or-later
"""PhysPlace: objects come to rest on each other, by the contact mechanics of their exact surfaces.

Blender calls `register` and `unregister`. They import the rest of the extension only when called, so
that `physplace_addon.core` can be imported, and tested, in a Python that has no Blender in it.
"""


def register() -> None:
    """Add the extension's classes and settings to Blender."""
    from .registration import register as register_all

    register_all()


def unregister() -> None:
    """Take away everything `register` added, in the reverse order."""
    from .registration import unregister as unregister_all

    unregister_all()
