"""One body of every kind and of every awkward shape, for the tests of surfaces."""

import numpy as np

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.analytic import swept
from physplace_addon.core.surfaces.analytic.revolution import revolve
from physplace_addon.core.surfaces.base import Surface
from physplace_addon.core.surfaces.complex import GridComplex
from physplace_addon.core.surfaces.curves.profiles import ArcProfile, LineProfile
from tests.core.surfaces.analytic import radial_bodies
from tests.core.surfaces.curves.joined_profiles import join_profiles
from tests.core.surfaces.curves.trigonometric_paths import trefoil

APPLE = [(0.0, 0.35), (0.3, 0.6), (0.95, 0.3), (0.6, -0.6), (0.0, -0.45)]
GOBLET = [(0, 0), (0.6, 0.05), (0.1, 0.5), (0.7, 1.2), (0.65, 1.25), (0.6, 1.2), (0, 0.7)]
HOOK = [(0, 0, -1), (0, 0.5, 1), (1, 1, 1), (1, 2, 0)]


def capsule() -> GridComplex:
    """A line between two quarter circles, all in one face."""
    quarter = 0.5 * np.pi
    parts = [
        ArcProfile((0.0, -1.0), 0.4, -quarter, 0.0),
        LineProfile((0.4, -1.0), (0.4, 1.0)),
        ArcProfile((0.0, 1.0), 0.4, 0.0, quarter),
    ]
    return revolve("capsule", [join_profiles(parts)])


SMOOTH = {
    "sphere": kinds.sphere(1.3),
    "torus": kinds.torus(1.0, 0.3),
    "ellipsoid": kinds.superquadric(1.0, 0.7, 0.4),
    "rounded box": kinds.superquadric(1.0, 0.7, 0.4, 0.5, 0.6),
    "pinched": kinds.superquadric(1.0, 0.7, 0.4, 0.5, 1.4),
    "needle": kinds.superquadric(3.0, 0.5, 0.5),
    "bumpy sphere": radial_bodies.bumpy_sphere(1.0, [0.1, 0.05], [[4, 2, 1], [1, -3, 4]], [0.3, 1.0]),
    "apple": swept.revolution(APPLE),
    "capsule": capsule(),
    "knot": swept.tube(trefoil(), 0.5),
    "rod": swept.tube([(0, 0, -1), (0, 0, 1)], 0.3),
    "hook": swept.tube(HOOK, 0.2),
}
SHARP = {
    "cylinder": kinds.cylinder(0.5, 2.0),
    "cone": kinds.cone(1.0, 2.0),
    "goblet": swept.revolution(GOBLET, sharp=[False, True, False, True, False, False, False]),
    "pointed": swept.revolution(APPLE, sharp=[True, False, False, False, False]),
}
OPEN = {
    "plane": kinds.plane(2.0, 3.0),
    "vase": swept.revolution([(0.5, 0.0), (1.0, 0.2), (0.8, 1.2)]),
    "dish": swept.revolution([(0.0, 0.0), (1.0, 0.2), (1.2, 0.6)]),
}
EXTREME = {
    "nearly a box": kinds.superquadric(1.0, 1.0, 1.0, 0.1, 0.1),
    "octahedron": kinds.superquadric(1.0, 1.0, 1.0, 2.0, 2.0),
    "double cone": kinds.superquadric(1.0, 1.0, 1.0, 1.9, 1.0),
}
CLOSED = {**SMOOTH, **SHARP, **EXTREME}
ALL = {**CLOSED, **OPEN}


def samples(
    surface: Surface, count: int, rng: np.random.Generator, margin: float = 0.0
) -> tuple[Ints, Floats]:
    """Faces (k,) and random parameters (k, 2), a fraction of the range away from bounded ends."""
    columns = []
    assert hasattr(surface, "domain")
    for interval in surface.domain:
        rim = 0.0 if interval.periodic else margin * interval.length
        columns.append(rng.uniform(interval.lower + rim, interval.upper - rim, count))
    return np.zeros(count, dtype=np.intp), np.column_stack(columns)
