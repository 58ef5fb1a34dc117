"""Exact bodies by name: every kind can be built, and a wrong property is named."""

import pytest

from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.surfaces import kinds
from tests.core.surfaces.analytic.exact_bodies import APPLE
from tests.core.surfaces.bezier.patched_bodies import hill_nets
from tests.core.surfaces.curves.trigonometric_paths import trefoil

CUBE = {"size_x": 1.0, "size_y": 1.0, "size_z": 1.0}

CORNERED = [[(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)], [(3, 0, 0), (3, 1, 0), (3, 2, 0), (3, 3, 0)]]

WRONG = [
    ("spere", {"radius": 1.0}, "surface"),
    ("sphere", {}, "radius"),
    ("sphere", {"radius": -1.0}, "radius"),
    ("sphere", {"radius": 0.0}, "radius"),
    ("sphere", {"radius": float("nan")}, "radius"),
    ("sphere", {"radius": "one"}, "radius"),
    ("sphere", {"radius": True}, "radius"),
    ("sphere", {"radius": 1.0, "height": 2.0}, "height"),
    ("plane", {"size_x": 1.0, "size_y": float("inf")}, "size_y"),
    ("torus", {"major_radius": 1.0, "minor_radius": 1.0}, "minor_radius"),
    ("cylinder", {"radius": 1.0}, "height"),
    ("superquadric", {**CUBE, "exponent_1": 2.1, "exponent_2": 1.0}, "exponent_1"),
    ("superquadric", {**CUBE, "exponent_1": 1.0, "exponent_2": 0.05}, "exponent_2"),
    ("revolution", {"profile": [(0.0, 0.0)]}, "profile"),
    ("revolution", {"profile": [(0.0, 0.0), (float("nan"), 1.0)]}, "profile"),
    ("revolution", {"profile": [(0.0, 0.0), (-1.0, 1.0), (0.0, 2.0)]}, "profile"),
    ("revolution", {"profile": [(0.0, 0.0), (1.0, 1.0), (1.0, 1.0), (0.0, 2.0)]}, "profile"),
    ("revolution", {"profile": [(0, 0), (1, 1), (0, 2), (1, 3), (0, 4)]}, "profile"),
    ("revolution", {"profile": [(0.0, 0.0), (0.0, 1.0)], "sharp": [True, True]}, "profile"),
    ("revolution", {"profile": [(0, 0), (1, 1), (0, 2)], "sharp": [True]}, "sharp"),
    ("tube", {"path": trefoil(), "radius": 2.0}, "radius"),
    ("tube", {"path": CORNERED, "radius": 0.1}, "path"),
    ("tube", {"path": [(0, 0, 0), (0, 0, 0)], "radius": 0.1}, "path"),
    ("tube", {"path": [(0, 0), (1, 0)], "radius": 0.1}, "path"),
]


@pytest.mark.parametrize(("kind", "parameters", "subject"), WRONG)
def test_a_wrong_property_is_named(kind: str, parameters: dict[str, object], subject: str) -> None:
    with pytest.raises(SurfaceError) as caught:
        kinds.build(kind, parameters)
    assert caught.value.kind == kind
    assert caught.value.subject == subject
    assert kind in str(caught.value)
    assert subject in str(caught.value)


def test_every_kind_can_be_built_by_name() -> None:
    parameters: dict[str, dict[str, object]] = {
        "plane": {"size_x": 1, "size_y": 2},
        "sphere": {"radius": 1},
        "torus": {"major_radius": 2, "minor_radius": 1},
        "cylinder": {"radius": 1, "height": 1},
        "cone": {"radius": 1, "height": 1},
        "superquadric": {"size_x": 1, "size_y": 1, "size_z": 1, "exponent_1": 0.5, "exponent_2": 1.5},
        "revolution": {"profile": APPLE, "closed": False},
        "tube": {"path": [(0, 0, 0), (1, 0, 0)], "radius": 0.2},
        "bezier": {"control": hill_nets()},
    }
    assert parameters.keys() == kinds.KINDS.keys()
    for kind, given in parameters.items():
        assert kinds.build(kind, given).kind == kind
