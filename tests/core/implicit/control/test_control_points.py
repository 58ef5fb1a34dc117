"""Control points: places that the surface passes through."""

from collections.abc import Sequence

import numpy as np
import pytest

from physplace_addon.core.errors import SculptingError
from physplace_addon.core.implicit.control.control_points import ControlPoints
from tests.core.implicit.control.pulled_blobs import R


@pytest.mark.parametrize("place", [[0.0, np.nan, 0.0], [0.0, 1.0], [np.inf, 0.0, 0.0]])
def test_a_control_point_is_three_finite_numbers(place: Sequence[float]) -> None:
    controls = ControlPoints.pinned([[R, 0.0, 0.0]])
    with pytest.raises(SculptingError, match="three finite numbers"):
        controls.dragged_to(0, np.array(place))
    with pytest.raises(SculptingError, match="three finite numbers"):
        controls.with_point(np.array(place))
    with pytest.raises(SculptingError, match="control point 1: there are 1"):
        controls.released(1)


def test_flags_go_with_points_that_stay_where_they_are_wanted() -> None:
    three = ControlPoints.pinned(np.eye(3), ["a", "b", "c"])
    flags = np.array([True, True, True])
    assert three.carried(flags, three.without(0).with_point(np.zeros(3), "d")).tolist() == [True, True, False]
    assert three.carried(flags, three.pinned_at(1, np.zeros(3))).tolist() == [True, False, True]
    assert three.carried(~flags, three).tolist() == [False, False, False]
