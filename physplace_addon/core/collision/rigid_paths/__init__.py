"""Rigid bodies on curved paths, rotation included: how far primitives may go before they are near."""

from .approaches import NEAR_STOP_SHARE, STOP_SHARE, PrimitivePairs, first_approaches, stop_distances
from .relative_paths import RelativeMotion, RelativePaths
from .triangle_steps import Pieces, PieceSteps, piece_steps

__all__ = [
    "NEAR_STOP_SHARE",
    "STOP_SHARE",
    "PieceSteps",
    "Pieces",
    "PrimitivePairs",
    "RelativeMotion",
    "RelativePaths",
    "first_approaches",
    "piece_steps",
    "stop_distances",
]
