"""Running the operators as a script does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender_data import physplace, property_names, report_of
from tests.scene import scenes


def run(operator: Callable[..., set[str]], obj: bpy.types.Object, **properties: object) -> dict[str, Any]:
    """Run an operator on an object; returns the object's report."""
    scenes.activate(obj)
    assert operator(**properties) == {"FINISHED"}
    return report_of(obj)


def place(obj: bpy.types.Object) -> dict[str, Any]:
    """Place an object; returns its report."""
    return run(physplace.place, obj)


def refused(
    operator: Callable[..., set[str]], obj: bpy.types.Object | None, message: str, **properties: object
) -> None:
    """See that an operator refuses with a message, and that it changed nothing."""
    scenes.activate(obj)
    before = standing()
    with pytest.raises(RuntimeError, match=message):
        operator(**properties)
    after = standing()
    assert after.keys() == before.keys()
    for name, (matrix, keys) in before.items():
        np.testing.assert_array_equal(after[name][0], matrix)
        assert after[name][1] == keys


def standing() -> dict[str, tuple[np.ndarray, set[str]]]:
    """Every object of the file by name: its world matrix, and the names of its custom properties.

    What is registered on objects is not custom, although Blender before 5.0 lists it once it was looked at.
    """
    return {
        obj.name: (scenes.world_matrix(obj), property_names(obj) - {"physplace"}) for obj in bpy.data.objects
    }
