"""Joints between bodies: what an artist sets, their equations, and motion with joints but without contact."""

from .kinds import (
    FREE,
    LOCKED,
    Anchors,
    Axis,
    Joint,
    Motor,
    Spring,
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
    "Anchors",
    "Axis",
    "Joint",
    "Motor",
    "Spring",
    "ball",
    "fixed",
    "generic",
    "hinge",
    "motor",
    "piston",
    "slider",
]
