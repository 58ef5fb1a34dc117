"""Joints between bodies: what an artist sets, and their equations and inequalities of twists."""

from .kinds import (
    FREE,
    LOCKED,
    UNBREAKABLE,
    Anchors,
    Axis,
    Joint,
    Motor,
    Spring,
    Strength,
    ball,
    fixed,
    generic,
    hinge,
    motor,
    piston,
    slider,
)

__all__ = [
    "FREE",
    "LOCKED",
    "UNBREAKABLE",
    "Anchors",
    "Axis",
    "Joint",
    "Motor",
    "Spring",
    "Strength",
    "ball",
    "fixed",
    "generic",
    "hinge",
    "motor",
    "piston",
    "slider",
]
