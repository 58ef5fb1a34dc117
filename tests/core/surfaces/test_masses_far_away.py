"""The mass of what is a kilometre from its origin, as where an artist applied its transform, is that of the
same body at its origin.
"""

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies.curved_meshes import limit_complex
from physplace_addon.core.mesh.mass import MassProperties
from physplace_addon.core.surfaces.analytic.swept import revolution, tube
from physplace_addon.core.surfaces.bezier.bodies import bezier
from physplace_addon.core.surfaces.formula.bodies import formula
from tests.core.surfaces.bezier.patched_bodies import NETS
from tests.core.surfaces.formula.formula_bodies import NAMED
from tests.core.surfaces.subdivision.cages import cube, sheet

FAR = np.array([800.0, -600.0, 200.0])
SMALL = 0.05
PATH = np.array([[0.0, 0, 0], [1.0, 0, 0], [1.5, 1.0, 0], [1.0, 2.0, 0.5]])
PROFILE = np.array([[0.0, 0], [0.5, 0.2], [0.3, 0.6], [0.2, 0.8]])


def bezier_at(name: str) -> Callable[[Floats], MassProperties]:
    return lambda place: bezier(SMALL * NETS[name] + place).mass


def formula_at(name: str) -> Callable[[Floats], MassProperties]:
    def weighed(place: Floats) -> MassProperties:
        texts = dict(NAMED[name])
        for axis, shift in zip("xyz", place.tolist(), strict=True):
            texts[axis] = f"{SMALL}*({texts[axis]}) + {shift}"
        return formula(texts).mass

    return weighed


def tube_at(closed: bool) -> Callable[[Floats], MassProperties]:
    return lambda place: tube(SMALL * PATH + place, 0.2 * SMALL, closed).mass


def revolution_at(solid: bool) -> Callable[[Floats], MassProperties]:
    """A body on the z axis: it goes up only."""
    profile = np.concatenate([PROFILE[:3], [[0.0, 1.0]]]) if solid else PROFILE
    return lambda place: revolution(SMALL * profile + [0.0, place[2]]).mass


def limit_at(closed: bool) -> Callable[[Floats], MassProperties]:
    points, cage = cube() if closed else sheet(np.random.default_rng(0))
    return lambda place: limit_complex(SMALL * points + place, cage)[0].mass


WEIGHED = {
    "bezier pebble": bezier_at("pebble"),
    "bezier hill": bezier_at("hill"),
    "formula egg": formula_at("egg"),
    "formula wave": formula_at("wave"),
    "tube": tube_at(False),
    "ring": tube_at(True),
    "turned solid": revolution_at(True),
    "turned sheet": revolution_at(False),
    "subdivision solid": limit_at(True),
    "subdivision sheet": limit_at(False),
}


@pytest.mark.parametrize("name", WEIGHED)
def test_a_mass_far_from_its_origin_keeps_its_digits(name: str) -> None:
    place = FAR * [0.0, 0.0, 1.0] if name.startswith("turned") else FAR
    near, far = (WEIGHED[name](shift) for shift in (np.zeros(3), place))
    assert far.basis == near.basis
    assert far.volume == pytest.approx(near.volume, rel=1e-10)
    assert np.allclose(far.center - place, near.center, rtol=0.0, atol=1e-12)
    assert np.abs(far.inertia - near.inertia).max() <= 1e-9 * np.abs(near.inertia).max()
