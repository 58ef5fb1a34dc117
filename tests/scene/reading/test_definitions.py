"""Formulas typed as custom properties: read, shown, and refused at the character."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.reading.definitions import body_of, boundary_of
from tests.scene import scenes

TURN = "0, 2*pi, periodic"
RING = {"x": "(R + r*cos(v))*cos(u)", "y": "(R + r*cos(v))*sin(u)", "z": "r*sin(v)", "u": TURN, "v": TURN}


def ring(name: str = "Ring", **changes: Any) -> bpy.types.Object:
    return scenes.surface(name, "formula", **{**RING, "R": 1.0, "r": 0.25, **changes})


def evaluated(obj: bpy.types.Object) -> bpy.types.Object:
    return obj.evaluated_get(bpy.context.evaluated_depsgraph_get())


def test_a_formula_is_read_with_its_constants() -> None:
    body = boundary_of(evaluated(ring()))
    assert body.closed
    assert body.mass.volume == pytest.approx(2 * np.pi**2 * 0.0625, rel=1e-12)
    assert boundary_of(evaluated(ring("Other"))) is body


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"z": "r*sinn(v)"},
            r'object "Ring": surface "formula": z: character 3: .*\'sin\'.*\n    r\*sinn\(v\)\n      \^$',
        ),
        ({"r": "thick"}, 'object "Ring": surface "formula": r: found'),
        ({"u": "0, 6, periodic"}, 'object "Ring": surface "formula": u: periodic, but its ends are'),
        ({"w.x": 3.0}, 'object "Ring": surface "formula": w.x: is no name'),
        (
            {"x": "u", "y": "v", "z": "0.05*sin(999*u)*sin(999*v)", "u": "-1, 1", "v": "-1, 1"},
            'object "Ring": surface "formula": tolerance: .* fewer waves',
        ),
    ],
)
def test_an_error_names_the_object_the_property_and_the_character(change: dict[str, Any], says: str) -> None:
    with pytest.raises(SceneError, match=says):
        body_of(evaluated(ring(**change)))
