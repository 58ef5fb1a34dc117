"""Implicit surfaces F(x, q) = 0: functions, the particles that show them and the points that pull them."""

from .functions.base import ImplicitFunction
from .functions.combinations import Combination, complement, difference, intersection, union
from .functions.formula import FormulaFunction
from .functions.frozen import Frozen
from .functions.gaussians.blob import Blob, blobby_cylinders, blobby_spheres
from .functions.gaussians.cylinders import CylinderField
from .functions.gaussians.spheres import SphereField
from .functions.solids.ellipsoids import Ellipsoids
from .functions.solids.half_spaces import HalfSpaces
from .functions.solids.quadrics import Quadrics
from .functions.solids.shaped_solids import Boxes, EllipticCones, FlatCylinders, Tori
from .functions.solids.spheres import Spheres
from .functions.transformed import Scaled
from .particles.floaters import Floaters, FloaterSettings
from .particles.sampling import Sampling

__all__ = [
    "Blob",
    "Boxes",
    "Combination",
    "CylinderField",
    "Ellipsoids",
    "EllipticCones",
    "FlatCylinders",
    "FloaterSettings",
    "Floaters",
    "FormulaFunction",
    "Frozen",
    "HalfSpaces",
    "ImplicitFunction",
    "Quadrics",
    "Sampling",
    "Scaled",
    "SphereField",
    "Spheres",
    "Tori",
    "blobby_cylinders",
    "blobby_spheres",
    "complement",
    "difference",
    "intersection",
    "union",
]
