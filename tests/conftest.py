"""What every test may use.

Tests under tests/core run in any Python with numpy and scipy. Tests under tests/scene and tests/addon need
the `bpy` module; where it is missing they fail and are not skipped: a green run always means all of them.
"""

import gc
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent


def pytest_collection_finish() -> None:
    """Keep the collected tests out of every garbage collection: they are thousands, and all stay."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Let Python end as it does without that: Blender's module waits for classes that are never freed."""
    gc.unfreeze()


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers that are the same in every run."""
    return np.random.default_rng(19950424)
