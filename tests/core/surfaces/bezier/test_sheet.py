"""The parameters of a face of many patches say which patch a point is on."""

import numpy as np

from physplace_addon.core.surfaces.bezier.sheet import ParameterLayout


def test_the_board_gives_back_what_it_was_given(rng: np.random.Generator) -> None:
    for count in (1, 2, 5, 9, 17, 32, 400):
        board = ParameterLayout(count)
        patch, at = rng.integers(0, count, 500), rng.integers(0, 2, (500, 2)).astype(float)
        at[::2] = rng.uniform(0, 1, (250, 2))
        again, uv = board.patch_parameters(board.face_parameters(patch, at))
        assert (again == patch).all()
        np.testing.assert_allclose(uv, at, rtol=0, atol=1e-14)
        assert (board.face_parameters(again, uv) == board.face_parameters(patch, at)).all()
