"""The exact bodies an artist can name, centred on the origin with axis z.

Each function returns a `Complex`; every wrong number is a SurfaceError that names the kind, the property,
what was expected and what was found.
"""

from __future__ import annotations

import math

from ..errors import SurfaceError
from .complexes import Complex
from .profiles import ArcProfile, LineProfile
from .revolved import revolve


def positive(kind: str, name: str, value: object) -> float:
    """Return `value` as a float; raises SurfaceError unless it is a positive finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) and not hasattr(value, "__float__"):
        raise SurfaceError(kind, name, f"found {value!r}", "expected a positive number")
    number = float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise SurfaceError(kind, name, f"found {number:g}", "expected a positive number")
    return number


def sphere(radius: float) -> Complex:
    """Return a sphere."""
    r = positive("sphere", "radius", radius)
    return revolve("sphere", [ArcProfile((0.0, 0.0), r, -0.5 * math.pi, 0.5 * math.pi)])


def torus(major_radius: float, minor_radius: float) -> Complex:
    """Return a ring torus about z; the minor radius must be less than the major one."""
    major = positive("torus", "major_radius", major_radius)
    minor = positive("torus", "minor_radius", minor_radius)
    if minor >= major:
        found = f"found {minor:g} with major_radius {major:g}, so the torus cuts itself"
        raise SurfaceError("torus", "minor_radius", found, "expected less than major_radius")
    arc = ArcProfile((major, 0.0), minor, 0.0, 2.0 * math.pi, periodic=True)
    return revolve("torus", [arc], ring=True)


def cylinder(radius: float, height: float) -> Complex:
    """Return a cylinder closed by disks, z from -height/2 to height/2."""
    r, h = positive("cylinder", "radius", radius), 0.5 * positive("cylinder", "height", height)
    corners = [(0.0, -h), (r, -h), (r, h), (0.0, h)]
    return revolve("cylinder", [LineProfile(a, b) for a, b in zip(corners, corners[1:], strict=False)])


def cone(radius: float, height: float) -> Complex:
    """Return a cone closed by a disk, apex up, z from -height/2 to height/2."""
    r, h = positive("cone", "radius", radius), 0.5 * positive("cone", "height", height)
    return revolve("cone", [LineProfile((0.0, -h), (r, -h)), LineProfile((r, -h), (0.0, h))])
