"""Implicit surfaces F(x, q) = 0: functions, the particles that show them and the points that pull them."""

from .blob import Blob, blobby_cylinders, blobby_spheres
from .blobby_cylinders import CylinderField
from .blobby_spheres import SphereField
from .function import ImplicitFunction

__all__ = ["Blob", "CylinderField", "ImplicitFunction", "SphereField", "blobby_cylinders", "blobby_spheres"]
