"""From random starts near their rests, too, all experiments of the paper come to rest."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.placement import Settings
from tests.core.placement.drops import ENDS, run
from tests.core.placement.experiments import EXPERIMENTS, active_of, random_start, standing
from tests.core.placement.judging import assert_is_a_rest


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_rest_from_a_random_start_stands_both_tests(name):
    start = random_start(name, np.random.default_rng([sum(map(ord, name)), 1000]))
    finished = run(active_of(name), start, standing(name)[2], Settings(), name)
    assert finished.certificate.status in ENDS, finished.label
    assert_is_a_rest(name, finished)
