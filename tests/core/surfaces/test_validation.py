"""Numbers that an artist types are taken, or refused with the kind and the property."""

from collections.abc import Sequence

import numpy as np
import pytest

from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.surfaces.validation import finite_array, positive_number


@pytest.mark.parametrize("value", [1, 0.5, np.float32(2.0), np.int64(3)])
def test_a_positive_number_is_taken(value: float) -> None:
    assert positive_number("sphere", "radius", value) == float(value)


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), True, "1", None, [1.0]])
def test_anything_else_is_refused_by_name(value: float | str | Sequence[float] | None) -> None:
    with pytest.raises(SurfaceError, match=r'surface "sphere": radius: found .*expected a positive number'):
        positive_number("sphere", "radius", value)


def test_an_array_must_be_finite() -> None:
    assert finite_array("tube", "path", [[0, 1, 2]]).tolist() == [[0.0, 1.0, 2.0]]
    with pytest.raises(SurfaceError, match="tube"):
        finite_array("tube", "path", [0.0, np.nan])


@pytest.mark.parametrize("value", ["curve", [[0.0, 1.0], [2.0]], {"x": 1.0}])
def test_what_is_no_array_is_refused_by_name(value: object) -> None:
    with pytest.raises(SurfaceError, match="path: found no array of numbers"):
        finite_array("tube", "path", value)  # type: ignore[arg-type]
