"""Implicit surfaces F(x, q) = 0: functions, the particles that show them and the points that pull them."""

from .blob import Blob, blobby_cylinders, blobby_spheres
from .blobby_cylinders import CylinderField
from .blobby_spheres import SphereField
from .combinations import Combination, complement, difference, intersection, union
from .ellipsoids import Ellipsoids
from .floaters import Floaters, FloaterSettings
from .formula_function import FormulaFunction
from .frozen import Frozen
from .function import ImplicitFunction
from .half_spaces import HalfSpaces
from .halos import Halo
from .quadrics import Quadrics
from .sampling import Sampling
from .scaled import Scaled
from .spheres import Spheres

__all__ = [
    "Blob",
    "Combination",
    "CylinderField",
    "Ellipsoids",
    "FloaterSettings",
    "Floaters",
    "FormulaFunction",
    "Frozen",
    "HalfSpaces",
    "Halo",
    "ImplicitFunction",
    "Quadrics",
    "Sampling",
    "Scaled",
    "SphereField",
    "Spheres",
    "blobby_cylinders",
    "blobby_spheres",
    "complement",
    "difference",
    "intersection",
    "union",
]
