"""The curves of a smooth-shaded mesh, and the quadrilaterals between them.

An edge is the cubic through its ends with their tangents, which is nearest to an arc of a circle: of a chord
L and angles a, b of the tangents to it, each tangent is a third of the control polygon's 2 L/(2 + cos a + cos
b). Along it the tangent plane holds the curve's tangent and a direction that changes evenly from N x T at the
start to N x T at the end.

If not all faces are quadrilaterals, each is cut into some by curves from the middles of its edges to a point
X in its own middle: on the line through the mean of the middles M_i along the mean N of their normals N_i,
where it is as far as arcs from all of them would be, sum (X - M_i) . (N + N_i) = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...vectors import cross, dot, length, unit
from ..subdivision.cage import Cage
from ..subdivision.refinement import refine
from .creases import TangentMesh

# Least cosine of a tangent to its chord in the length of a tangent, which is infinite at -1.
_LEAST_COSINE = -0.5


@dataclass(frozen=True, eq=False)
class Network:
    """Quadrilaterals (n,) between curves.

    cage: the quadrilaterals.  control (4 n, 4, 3): control points of each half-edge.  normals (4 n, 2, 3):
    unit normals at its start and end, on its face's side.  parent (n,): the face of the mesh that each is of.
    """

    cage: Cage
    control: Floats
    normals: Floats
    parent: Ints


def network_of(settled: TangentMesh) -> Network:
    """Return the curves of a mesh, cut into quadrilaterals if not all its faces are."""
    cage, points = settled.shaded.cage, settled.shaded.points
    leaving, coming = settled.tangents[:, 0], settled.tangents[:, 1]
    control = arc_cubics(points[cage.corners], points[cage.heads], leaving, coming)
    normals = np.stack([settled.normals, settled.normals[cage.next]], axis=1)
    if (cage.sizes == 4).all():
        return Network(cage, control, normals, np.arange(len(cage.sizes)))
    return _cut(cage, control, normals)


def arc_cubics(start: Floats, stop: Floats, leaving: Floats, coming: Floats) -> Floats:
    """Return the control points (k, 4, 3) of cubics that are near to arcs of circles.

    Args:
        start, stop: their ends (k, 3), in scene units.
        leaving, coming: the unit tangents (k, 3) at the start and at the end, both into the curve.
    """
    chord = stop - start
    size = length(chord)
    way = chord / size[:, None]
    cosines = [np.maximum(dot(leaving, way), _LEAST_COSINE), np.maximum(-dot(coming, way), _LEAST_COSINE)]
    third = (4.0 / 3.0 * size / (2.0 + cosines[0] + cosines[1]))[:, None]
    return np.stack([start, start + third * leaving, stop + third * coming, stop], axis=1)


def cross_boundary_directions(control: Floats, normals: Floats) -> Floats:
    """Return the directions (k, 2, 3) N x T, into their face, at the starts and ends of curves.

    Args:
        control: the control points of the curves (k, 4, 3).
        normals: the unit normals (k, 2, 3) at their starts and ends.
    """
    start = unit(control[:, 1] - control[:, 0])
    stop = unit(control[:, 3] - control[:, 2])
    return np.stack([cross(normals[:, 0], start), cross(normals[:, 1], stop)], axis=1)


def _cut(cage: Cage, control: Floats, normals: Floats) -> Network:
    children, _ = refine(cage)
    first, second = _halves(control)
    middle = first[:, 3]
    beside = unit(cross(second[:, 1] - second[:, 0], cross_boundary_directions(control, normals).sum(axis=1)))
    point, normal = _centres(cage, middle, beside)
    inward = point[cage.face] - middle
    leaving = unit(inward - dot(inward, beside)[:, None] * beside)
    own = normal[cage.face]
    coming = unit(-inward + dot(inward, own)[:, None] * own)
    spoke = arc_cubics(middle, point[cage.face], leaving, coming)
    before = cage.previous
    curves = np.stack([first, spoke, spoke[before, ::-1], second[before]], axis=1)
    at = np.stack([normals[:, 0], beside, own, beside[before]], axis=1)
    place = np.where(cage.sizes[cage.face] == 4, np.arange(len(own)) - cage.starts[cage.face], 0)
    turn = (np.arange(4) - place[:, None]) % 4
    curves = np.take_along_axis(curves, turn[:, :, None, None], axis=1)
    at = np.take_along_axis(at, turn[:, :, None], axis=1)
    ends = np.stack([at, np.roll(at, -1, axis=1)], axis=2)
    return Network(children, curves.reshape(-1, 4, 3), ends.reshape(-1, 2, 3), cage.face)


def _halves(control: Floats) -> tuple[Floats, Floats]:
    """Return the halves (k, 4, 3) of cubics (k, 4, 3)."""
    a, b, c, d = control.transpose(1, 0, 2)
    ab, bc, cd = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + d)
    abc, bcd = 0.5 * (ab + bc), 0.5 * (bc + cd)
    middle = 0.5 * (abc + bcd)
    return np.stack([a, ab, abc, middle], axis=1), np.stack([middle, bcd, cd, d], axis=1)


def _centres(cage: Cage, middle: Floats, beside: Floats) -> tuple[Floats, Floats]:
    """Return the middles X (nf, 3) of faces, and the unit normals there, from those of their edges (h, 3)."""

    def total(values: Floats) -> Floats:
        return np.asarray(np.add.reduceat(values, cage.starts[:-1], axis=0))

    mean = total(middle) / cage.sizes[:, None]
    normal = unit(total(beside))
    both = beside + normal[cage.face]
    rise = total(dot(middle - mean[cage.face], both)) / total(dot(normal[cage.face], both))
    return mean + rise[:, None] * normal, normal
