"""One body of every kind and of every awkward shape, for the tests of surfaces."""

import numpy as np

from physplace_addon.core.surfaces import primitives
from physplace_addon.core.surfaces.paths import trefoil
from physplace_addon.core.surfaces.profiles import ArcProfile, LineProfile, joined
from physplace_addon.core.surfaces.revolved import revolve

APPLE = [(0.0, 0.35), (0.3, 0.6), (0.95, 0.3), (0.6, -0.6), (0.0, -0.45)]
GOBLET = [(0, 0), (0.6, 0.05), (0.1, 0.5), (0.7, 1.2), (0.65, 1.25), (0.6, 1.2), (0, 0.7)]
HOOK = [(0, 0, -1), (0, 0.5, 1), (1, 1, 1), (1, 2, 0)]


def capsule():
    """A line between two quarter circles, all in one face."""
    quarter = 0.5 * np.pi
    parts = [
        ArcProfile((0.0, -1.0), 0.4, -quarter, 0.0),
        LineProfile((0.4, -1.0), (0.4, 1.0)),
        ArcProfile((0.0, 1.0), 0.4, 0.0, quarter),
    ]
    return revolve("capsule", [joined(parts)])


SMOOTH = {
    "sphere": primitives.sphere(1.3),
    "torus": primitives.torus(1.0, 0.3),
    "ellipsoid": primitives.superquadric(1.0, 0.7, 0.4),
    "rounded box": primitives.superquadric(1.0, 0.7, 0.4, 0.5, 0.6),
    "pinched": primitives.superquadric(1.0, 0.7, 0.4, 0.5, 1.4),
    "needle": primitives.superquadric(3.0, 0.5, 0.5),
    "bumpy sphere": primitives.bumpy_sphere(1.0, [0.1, 0.05], [[4, 2, 1], [1, -3, 4]], [0.3, 1.0]),
    "apple": primitives.revolution(APPLE),
    "capsule": capsule(),
    "knot": primitives.tube(trefoil(), 0.5),
    "rod": primitives.tube([(0, 0, -1), (0, 0, 1)], 0.3),
    "hook": primitives.tube(HOOK, 0.2),
}
SHARP = {
    "cylinder": primitives.cylinder(0.5, 2.0),
    "cone": primitives.cone(1.0, 2.0),
    "goblet": primitives.revolution(GOBLET, sharp=[False, True, False, True, False, False, False]),
    "pointed": primitives.revolution(APPLE, sharp=[True, False, False, False, False]),
}
OPEN = {
    "plane": primitives.plane(2.0, 3.0),
    "vase": primitives.revolution([(0.5, 0.0), (1.0, 0.2), (0.8, 1.2)]),
    "dish": primitives.revolution([(0.0, 0.0), (1.0, 0.2), (1.2, 0.6)]),
}
EXTREME = {
    "nearly a box": primitives.superquadric(1.0, 1.0, 1.0, 0.1, 0.1),
    "octahedron": primitives.superquadric(1.0, 1.0, 1.0, 2.0, 2.0),
    "double cone": primitives.superquadric(1.0, 1.0, 1.0, 1.9, 1.0),
}
CLOSED = {**SMOOTH, **SHARP, **EXTREME}
ALL = {**CLOSED, **OPEN}


def samples(surface, count, rng, margin=0.0):
    """Faces (k,) and random parameters (k, 2), a fraction of the range away from bounded ends."""
    columns = []
    for interval in surface.domain:
        rim = 0.0 if interval.periodic else margin * interval.length
        columns.append(rng.uniform(interval.lower + rim, interval.upper - rim, count))
    return np.zeros(count, dtype=np.intp), np.column_stack(columns)
