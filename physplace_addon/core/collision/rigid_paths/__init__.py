"""Rigid bodies on curved paths, rotation included: how far primitives may go before they are near."""

from .approaches import NEAR_STOP_SHARE, STOP_SHARE, PrimitivePairs, first_approaches, stop_distances
from .quadric_steps import PieceModels, QuadricSteps, steps_before_quadrics
from .relative_paths import RelativeMotion, RelativePaths
from .triangle_steps import Pieces, PiecesOnPaths, PieceSteps

__all__ = [
    "NEAR_STOP_SHARE",
    "STOP_SHARE",
    "PieceModels",
    "PieceSteps",
    "Pieces",
    "PiecesOnPaths",
    "PrimitivePairs",
    "QuadricSteps",
    "RelativeMotion",
    "RelativePaths",
    "first_approaches",
    "steps_before_quadrics",
    "stop_distances",
]
