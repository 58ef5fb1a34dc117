"""How often what is drawn at random is drawn: enough for faults that many draws show, or thoroughly."""

from __future__ import annotations

import os

THOROUGH = "PHYSPLACE_THOROUGH" in os.environ


def drawn(usual: int, thorough: int) -> int:
    """Return the larger number where the environment variable PHYSPLACE_THOROUGH is set."""
    return thorough if THOROUGH else usual
