"""Rigid bodies on curved paths, rotation included: how far primitives may go before they are near."""

from .approaches import PrimitivePairs, first_approaches, stop_distances
from .relative_paths import RelativePaths

__all__ = ["PrimitivePairs", "RelativePaths", "first_approaches", "stop_distances"]
