"""How Bezier patches join: one point and one tangent plane on both sides, and one facing."""

from itertools import pairwise

import numpy as np
import pytest

from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.surfaces.bezier.bodies import bezier
from physplace_addon.core.surfaces.bezier.nets import side_parameters
from physplace_addon.core.surfaces.bezier.sheet import BezierSheet
from tests.core.surfaces.bezier.patched_bodies import BODIES, NETS, flat_patch, sheets

each_sheet = pytest.mark.parametrize(("name", "sheet"), sheets(), ids=[name for name, _ in sheets()])


@each_sheet
def test_both_sides_of_a_smooth_join_have_one_point_and_one_tangent_plane(
    name: str, sheet: BezierSheet
) -> None:
    patch, side = (np.repeat(column, 9) for column in np.nonzero(sheet.joins.smooth))
    at = side_parameters(side, np.tile(np.linspace(0.02, 0.98, 9), len(side) // 9))
    there = sheet.joins.patch[patch, side], sheet.joins.parameters_beyond(side, patch, at)
    face = np.zeros(len(patch), dtype=np.intp)
    g, h = (sheet.geometry(face, sheet.layout.face_parameters(*place)) for place in ((patch, at), there))
    np.testing.assert_allclose(g.point, h.point, rtol=0, atol=1e-14)
    np.testing.assert_allclose(g.normal, h.normal, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["pebble", "cube", "pot", "lid"])
def test_it_does_not_matter_which_way_patches_are_given(name: str, rng: np.random.Generator) -> None:
    """Their order, their corners and their sides: the body is the same, and all of it faces one way."""
    nets = NETS[name][rng.permutation(len(NETS[name]))]
    for number in range(1, len(nets)):
        nets[number] = np.rot90(nets[number], int(rng.integers(4)), axes=(0, 1))
        if rng.integers(2):
            nets[number] = nets[number].transpose(1, 0, 2)
    body, usual = bezier(nets), BODIES[name]
    assert len(body.surfaces) == len(usual.surfaces)
    assert len(body.curves) == len(usual.curves)
    assert body.mass.volume == pytest.approx(usual.mass.volume, rel=1e-13)
    np.testing.assert_allclose(body.mass.center, usual.mass.center, atol=1e-13)
    for sheet in body.surfaces:
        patch, side = np.nonzero(sheet.joins.smooth)
        at = side_parameters(side, np.full(len(side), 0.3))
        there = sheet.joins.patch[patch, side], sheet.joins.parameters_beyond(side, patch, at)
        face = np.zeros(len(patch), dtype=np.intp)
        g, h = (sheet.geometry(face, sheet.layout.face_parameters(*place)) for place in ((patch, at), there))
        assert np.all(np.einsum("ki,ki->k", g.normal, h.normal) > 0.99)


def test_a_band_with_one_side_only_is_refused() -> None:
    turn = np.linspace(0, 2 * np.pi, 5)
    half = 0.3 * np.column_stack([np.cos(turn / 2), np.sin(turn / 2)])
    middle = np.column_stack([np.cos(turn), np.sin(turn), 0 * turn])
    lines = []
    for m, (out, up) in zip(middle, half, strict=True):
        radial = m / np.linalg.norm(m)
        lines.append((m + out * radial + [0, 0, up], m - out * radial - [0, 0, up]))
    nets = []
    along, across = np.arange(4)[:, None, None] / 3, np.arange(4)[None, :, None] / 3
    for (a, b), (c, d) in pairwise(lines):
        nets.append((1 - along) * (a + across * (b - a)) + along * (c + across * (d - c)))
    with pytest.raises(SurfaceError, match="one side"):
        bezier(np.array(nets))


def test_a_patch_with_neighbouring_sides_of_no_length_is_refused() -> None:
    net = flat_patch([0, 0, 0], [1, 0, 0], [0, 1, 0])
    net[0], net[:, 0] = net[0, 0], net[0, 0]
    with pytest.raises(SurfaceError, match="in one point"):
        bezier(net[None])
