"""What was found and assumed of the bodies of a placement, for its report.

Where a moving body meets itself is looked for here, once a body, and not when it is read: it takes as
long as all of the reading. Of the world only what changes more than a weight is told.

Where parts of a solid are flush, as bricks set into one another, no face cuts another through. Then the
places just under faces tell: a place in one part is in an odd number of shells. A part of which some faces
lie otherwise overlaps another; if all of them do, it stands wholly inside, and that is no overlap.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence

import numpy as np

from ..arrays import Ints
from ..bodies import Body
from ..bodies.body import HULL_NOTE, SPREAD_NOTE
from ..collision import BoxTree, tree_of
from ..collision.self_intersection import self_crossings, self_overlays
from ..mesh.edges import components
from ..mesh.inside import encloses
from ..mesh.mass import VOLUME

CUT = 1e-6  # over R: what faces must pass through each other by
_WEIGHTS = (SPREAD_NOTE, HULL_NOTE)
PROBED = 2000  # faces, the largest, under which is looked


def remarks(active: Body, world: Sequence[Body]) -> tuple[str, ...]:
    """The notes on a body that moves, and those on the world's bodies, each once and with the body's name."""
    noted = ((body.name, note) for body in world for note in body.notes if not note.endswith(_WEIGHTS))
    others = dict.fromkeys(f"{name}: {note}" for name, note in noted)
    return (*active.notes, *_on_crossings(active), *others)


def _on_crossings(body: Body) -> list[str]:
    tree = tree_of(body)
    if np.all(body.triangle_bound > 0.0):
        return []
    if tree not in _crossings:
        crossings = _flat_ones(body, self_crossings(tree, CUT * body.radius))
        overlays = self_overlays(tree, CUT * body.radius) if not body.closed else crossings[:0]
        _crossings[tree] = len(crossings) or _buried(body), len(np.unique(_flat_ones(body, overlays)))
    crossed, overlaid = _crossings[tree]
    twice = ", and weighs twice where it overlaps" if body.mass.basis == VOLUME else ""
    notes = [f"it passes through itself at {crossed} faces{twice}"] if crossed else []
    return notes + ([f"{overlaid} faces lie on one another in one plane"] if overlaid else [])


def _flat_ones(body: Body, pairs: Ints) -> Ints:
    """Those of pairs (k, 2) of triangles that are both exactly what they stand for."""
    flat: Ints = pairs[(body.triangle_bound[pairs] == 0.0).all(axis=1)]
    return flat


def _buried(body: Body) -> int:
    """How many of the largest faces of a solid lie inside another part, that theirs is not wholly inside."""
    corners = body.triangle_corners
    part = components(np.concatenate([corners[:, :2], corners[:, 1:]]), body.point_count)[corners[:, 0]]
    if not body.closed or np.all(part == part[0]) or np.any(body.triangle_bound > 0.0):
        return 0
    a, b, c = body.triangles.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    area = np.sqrt(np.einsum("ti,ti->t", normal, normal))
    rows = np.argsort(-area, kind="stable")[:PROBED]
    under = body.triangles[rows].mean(axis=1) - CUT * body.radius * normal[rows] / area[rows, None]
    buried = ~encloses(body.triangles, under)
    counts = np.bincount(part[rows], weights=buried)
    partly = (counts > 0) & (counts < np.bincount(part[rows]))
    return int(counts[partly].sum())


_crossings: weakref.WeakKeyDictionary[BoxTree, tuple[int, int]] = weakref.WeakKeyDictionary()
