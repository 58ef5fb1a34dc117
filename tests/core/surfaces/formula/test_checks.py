"""Formulas that are surfaces somewhere only, or not at all."""

import numpy as np

from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.surfaces.formula.bodies import formula
from tests.core.formulas.random_formulas import random_formula


def test_random_formulas_are_surfaces_or_refused(rng: np.random.Generator) -> None:
    """No warning of numpy, nor anything but a SurfaceError, comes of what is undefined here and there."""
    built = 0
    for number in range(24):
        definition = {x: random_formula(rng, 1 + number % 3)[0] for x in "xyz"}
        definition.update(u="0.2, 1.5", v=("-1, 0.5", "0.3, 2*pi")[number % 2])
        try:
            mesh = formula(definition).tessellate((5, 4))
        except SurfaceError:
            continue
        assert np.isfinite(mesh.points).all()
        assert np.isfinite(mesh.bound).all()
        built += 1
    assert built > 3
