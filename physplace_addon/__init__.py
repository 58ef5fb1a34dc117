# SPDX-License-Identifier: GPL-3.0-or-later
"""PhysPlace: objects come to rest on each other, by the contact mechanics of their exact surfaces.

Blender calls `register` and `unregister`. They import the rest of the extension only when called, so
that `physplace_addon.core` can be imported, and tested, in a Python that has no Blender in it.
"""

import importlib.util
import sys


def register() -> None:
    """Add the extension's classes and settings to Blender.

    Raises ImportError where scipy is missing, in one sentence that Blender shows.
    """
    if importlib.util.find_spec("scipy") is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise ImportError(
            f"PhysPlace needs scipy, which this Blender's Python {version} does not have: install the zip "
            "for your platform instead, or scipy by the package manager that Blender came with"
        )
    from .registration import register as register_all

    register_all()


def unregister() -> None:
    """Take away everything `register` added, in the reverse order."""
    from .registration import unregister as unregister_all

    unregister_all()
