"""Orientation: however faces are turned, they end up facing outwards."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.mesh.mass import signed_volumes
from physplace_addon.core.mesh.orientation import oriented
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES, moebius, torus


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("mesh", [(CUBE_POINTS, CUBE_TRIANGLES), torus(8, 6)], ids=["cube", "torus"])
def test_faces_turned_at_random_face_outwards_again(seed: int, mesh: tuple[Floats, Ints]) -> None:
    points, triangles = mesh
    turned = np.random.default_rng(seed).random(len(triangles)) < 0.5
    found = oriented(
        points, np.where(turned[:, None], triangles[:, ::-1], triangles), np.zeros(len(turned), bool)
    )
    assert found.closed
    assert found.filled.all()
    assert signed_volumes(points[found.triangles]).sum() == pytest.approx(
        abs(signed_volumes(points[triangles]).sum())
    )


def test_two_sided_faces_do_not_count_as_turned() -> None:
    turned = np.concatenate([CUBE_TRIANGLES[:1, ::-1], CUBE_TRIANGLES[1:]])
    plain = oriented(CUBE_POINTS, turned, np.zeros(12, dtype=bool))
    two_sided = oriented(CUBE_POINTS, turned, np.arange(12) == 0)
    assert plain.notes == ("1 faces turned to agree with their neighbours",)
    assert two_sided.notes == ()


def test_a_moebius_strip_has_no_outside() -> None:
    points, triangles = moebius(12)
    found = oriented(points, triangles, np.zeros(len(triangles), dtype=bool))
    assert not found.closed
    assert found.borders.startswith("1 open borders")
