"""Jointed figures that are dragged, pulled and posed without overlap (Choi and Cremer 1999)."""

from .constraints import Constraint, Perpendicular, PointOnCurve, PointOnSurface, universal
from .euler_angles import EulerAngles
from .goals import (
    PIN_WEIGHT,
    AnyGoal,
    FigureGoal,
    Goal,
    LookAtGoal,
    OrientationGoal,
    PinGoal,
    PointGoal,
    SurfaceGoal,
    pinned,
)
from .guides import BodySurface, Guide, Line, Plane, Sphere, Spline
from .linkage import Linkage
from .posing import LinkageDrag, LinkagePull, LinkageSolve
from .scene import LinkageScene
from .state import LinkageState, LinkageStatus
from .turn_ranges import AngleRanges

__all__ = [
    "PIN_WEIGHT",
    "AngleRanges",
    "AnyGoal",
    "BodySurface",
    "Constraint",
    "EulerAngles",
    "FigureGoal",
    "Goal",
    "Guide",
    "Line",
    "Linkage",
    "LinkageDrag",
    "LinkagePull",
    "LinkageScene",
    "LinkageSolve",
    "LinkageState",
    "LinkageStatus",
    "LookAtGoal",
    "OrientationGoal",
    "Perpendicular",
    "PinGoal",
    "Plane",
    "PointGoal",
    "PointOnCurve",
    "PointOnSurface",
    "Sphere",
    "Spline",
    "SurfaceGoal",
    "pinned",
    "universal",
]
