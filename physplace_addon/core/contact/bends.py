"""How far faces that count as flat bend after all: quadrilaterals in single precision are two triangles whose
planes differ by rounding.

Such an edge is no feature (mesh_features.FLAT), so nothing keeps an edge of another body, that lies along
the face, from dipping into it where the face bends away: by no more than the sine of the bend times how far
the two reach beside each other. That is no overlap that a smaller step could avoid.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats
from ..bodies import Body
from ..mesh.edges import edge_table
from ..mesh.features import FLAT


def bends_of(body: Body, flat: Bools) -> Floats:
    """For each triangle (t,) the largest sine, up to FLAT, of its angles with its neighbours; flat (t,):
    which are of flat faces. Others have none.
    """
    bends = np.zeros(len(flat))
    rows = np.flatnonzero(flat)
    edges = edge_table(body.triangle_corners[rows])
    pairs = edges.faces[edges.paired]
    a, b, c = body.triangles[rows].transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    normal /= np.sqrt(np.einsum("ti,ti->t", normal, normal))[:, None]
    turn = np.cross(normal[pairs[:, 0]], normal[pairs[:, 1]])
    sine = np.sqrt(np.einsum("ti,ti->t", turn, turn))
    for side in pairs.T:
        np.maximum.at(bends, rows[side], np.where(sine <= FLAT, sine, 0.0))
    return bends
