"""Seams of curved faces: which faces they join, at which parameters, and at which angle."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies import Body, exact
from physplace_addon.core.bodies.topology.seams import Seams, seams_of
from physplace_addon.core.surfaces import kinds
from tests.core.surfaces.smooth import smooth_meshes
from tests.core.surfaces.smooth.smooth_meshes import curved


def check_places(body: Body, seams: Seams) -> None:
    """The parameters on both sides are of the places."""
    for side in (0, 1):
        for end in (0, 1):
            at = body.face_geometry(seams.face[:, side], seams.uv[:, side, end]).point
            assert np.abs(at - seams.places[:, end]).max() <= 1e-9 * body.radius


@pytest.mark.parametrize("height", [0.7, 2.0])
def test_a_cylinders_rims_join_its_side_and_its_disks_at_right_angles(height: float) -> None:
    body = exact(kinds.cylinder(0.5, height), "cylinder")
    seams = seams_of(body)
    check_places(body, seams)
    rims = seams.take(seams.face[:, 0] != seams.face[:, 1])
    assert {frozenset(pair) for pair in rims.face.tolist()} == {frozenset((0, 1)), frozenset((1, 2))}
    assert np.allclose(rims.angle, 0.5 * np.pi, atol=1e-9)
    assert np.allclose(np.hypot(*rims.places[:, :, :2].reshape(-1, 2).T), 0.5, atol=1e-12)
    assert not rims.smooth.any()
    length = np.sqrt(((rims.places[:, 1] - rims.places[:, 0]) ** 2).sum(axis=1)).sum()
    assert length == pytest.approx(2.0 * np.pi, rel=0.02)


@pytest.mark.parametrize("name", ["torus", "sphere"])
def test_a_closed_revolution_goes_on_smoothly_where_its_parameters_begin_again(name: str) -> None:
    body = exact({"torus": kinds.torus(1.0, 0.3), "sphere": kinds.sphere(1.0)}[name], name)
    seams = seams_of(body)
    assert len(seams) > 0
    check_places(body, seams)
    assert (seams.face == 0).all()
    assert seams.smooth.all()


def test_patches_of_a_smooth_mesh_join_smoothly_and_its_sharp_edges_are_creases() -> None:
    body = curved(*smooth_meshes.cylinder(16))
    seams = seams_of(body)
    check_places(body, seams)
    creased = seams.take(~seams.smooth)
    assert (creased.angle > 0.1).all()
    assert np.abs(np.abs(creased.places[:, :, 2]) - 1.0).max() < 1e-9
    inside = seams.take(seams.smooth)
    assert (inside.face[:, 0] == inside.face[:, 1]).all()
    assert len(inside) > len(creased) > 0


def test_a_hollow_seam_has_a_negative_angle() -> None:
    """A cup's floor meets its wall at a right angle from inside."""
    cup = exact(kinds.build("revolution", {"profile": [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.8, 1.0],
                [0.8, 0.2], [0.0, 0.2]], "sharp": [True] * 6}), "cup")  # fmt: skip
    seams = seams_of(cup)
    creases = seams.take(~seams.smooth)
    radius, height = np.hypot(*creases.places[:, 0, :2].T), creases.places[:, 0, 2]
    hollow = (np.abs(radius - 0.8) < 1e-9) & (np.abs(height - 0.2) < 1e-9)
    assert hollow.any()
    assert np.allclose(creases.angle[hollow], -0.5 * np.pi, atol=1e-9)
    assert np.allclose(creases.angle[~hollow], 0.5 * np.pi, atol=1e-9)


def test_a_border_is_no_seam() -> None:
    assert len(seams_of(exact(kinds.plane(1.0, 2.0), "plane"))) == 0
