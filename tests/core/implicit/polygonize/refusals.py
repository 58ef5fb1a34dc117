"""What can have no mesh, and is refused by what is known before points are added."""

import time

import pytest

from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.polygonize.surface_sampling import surface_samples
from physplace_addon.core.implicit.polygonize.triangulation import Triangulation, triangulating


def refused_at_once(function: ImplicitFunction, sigma: float) -> Triangulation:
    """What is said of a surface that is refused before the first round, within seconds."""
    points = surface_samples(function, 2.0 * sigma)
    begun = time.process_time()
    with pytest.raises(StopIteration) as ended:
        next(triangulating(function, points, sigma))
    assert time.process_time() - begun < 4.0  # 2 s at most on a machine that does nothing else
    found = ended.value.value
    assert isinstance(found, Triangulation)
    return found
