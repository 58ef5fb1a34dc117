# SPDX-License-Identifier: GPL-3.0-or-later
"""PhysPlace's operators with the types they have: Blender's stubs know no add-on's."""

from __future__ import annotations

from typing import Protocol, cast

import bpy


class Operators(Protocol):
    """The operators in bpy.ops.physplace."""

    def place(self) -> set[str]:
        """Place the active object; raises RuntimeError with what the operator has reported."""


class _AllOperators(Protocol):
    @property
    def physplace(self) -> Operators: ...


def physplace() -> Operators:
    """Return bpy.ops.physplace, once the extension is registered."""
    return cast("_AllOperators", bpy.ops).physplace
