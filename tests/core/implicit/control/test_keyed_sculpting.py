"""Surfaces for the frames of an animation."""

import numpy as np
import pytest

from physplace_addon.core.implicit.control.keyed_sculpting import KeyedFrame, KeyedSculpting
from physplace_addon.core.implicit.control.state import SculptSettings
from physplace_addon.core.implicit.particles.floaters import FloaterSettings
from tests.core.implicit.control.pulled_blobs import R, ball, off

COARSE = SculptSettings(FloaterSettings(0.15))


def moving_ball(frame: int) -> KeyedFrame:
    """A ball keyed along x, and a control point keyed above it."""
    return KeyedFrame(ball(centre=[0.02 * frame, 0.0, 0.0]), [[0.02 * frame, R + 0.01 * frame, 0.0]])


@pytest.mark.parametrize("way", [(0, 1, 2, 3, 4), (4, 1, 3, 0, 2)])
def test_a_keyed_frame_is_the_same_played_or_scrubbed(way: tuple[int, ...]) -> None:
    keyed = KeyedSculpting(moving_ball, COARSE, 0, steps=6, first_steps=30)
    found = {frame: keyed.at(frame) for frame in way}
    alone = KeyedSculpting(moving_ball, COARSE, 0, steps=6, first_steps=30).at(4)
    assert np.array_equal(found[4].function.parameters, alone.function.parameters)
    assert np.array_equal(found[4].floaters.positions, alone.floaters.positions)
    for frame, state in found.items():
        assert off(state.function, np.array(moving_ball(frame).places))[0] < 1e-3 * 0.15
    keyed.forget(2)
    assert keyed.solved == 2
    assert np.array_equal(keyed.at(4).function.parameters, alone.function.parameters)
