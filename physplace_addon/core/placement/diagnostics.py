"""Diagnostics of the bodies of a placement, for its report: what was found wrong with them and what was
assumed.

A body is searched for places where it passes through itself once, when its report is made and not when it is
read: the search takes as long as all of the reading.  Notes on bodies of the world that concern their weight
alone are left out, since those bodies do not move.

Parts of a solid may be flush, as bricks set into one another, so that no face cuts through another.  Then
points just under the faces decide.  A point inside one part lies in an odd number of shells.  A part overlaps
another if some of its faces have points in an even number; if all of them have, the part stands wholly inside
another, which is no overlap.
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
from ..mesh.edges import component_labels
from ..mesh.inside import encloses
from ..mesh.mass import VOLUME

# Least depth over R at which faces count as passing through each other: single precision hides less.
CUT = 1e-6
# The notes that concern a body's weight alone.
_WEIGHTS = (SPREAD_NOTE, HULL_NOTE)
# Number of faces, the largest ones, under which points are probed: this bounds the time of the search.
PROBED = 2000


def diagnose(active: Body, world: Sequence[Body]) -> tuple[str, ...]:
    """Return the notes on a body that moves, and each note on the world's bodies once, after their names."""
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
    """Return those of k pairs (k, 2) of triangles of which both are flat faces, not approximations."""
    flat: Ints = pairs[(body.triangle_bound[pairs] == 0.0).all(axis=1)]
    return flat


def _buried(body: Body) -> int:
    """Return how many of a solid's largest faces lie inside another part that does not contain theirs."""
    corners = body.triangle_corners
    part = component_labels(np.concatenate([corners[:, :2], corners[:, 1:]]), body.point_count)[corners[:, 0]]
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
