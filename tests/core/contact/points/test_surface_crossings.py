"""Crossings of true surfaces: proven where they overlap, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import Body, exact, polyhedron
from physplace_addon.core.bodies.curved_meshes import subdivided
from physplace_addon.core.bodies.surface_parts import SurfaceParts
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.points.surface_crossings import surface_crossings
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces.analytic import swept
from tests.bodies_of_the_paper import cuboid
from tests.core.contact.body_pairs import meet
from tests.core.surfaces.smooth import smooth_meshes
from tests.oracles.frames import quaternion_of, random_rotation

LEAST = 1e-5  # depth over R of an overlap that must be found: far above where refinement ends


def crosses(body_pair: BodyPair) -> bool:
    """Whether any crossing is proven."""
    return len(surface_crossings(body_pair, 0.0)) > 0


def balls(rng: np.random.Generator, gap: float) -> BodyPair:
    """Two unit balls in any attitude, their surfaces `gap` apart."""
    direction = random_rotation(rng)[0]
    at = Pose(quaternion_of(random_rotation(rng)), (2.0 + gap) * direction)
    return BodyPair.of(*(meet("ball", "ball").active,) * 2, at)


def test_balls_cross_exactly_where_their_centres_are_nearer_than_both_radii(rng: np.random.Generator) -> None:
    for _ in range(20):
        assert not crosses(balls(rng, 1e-12))
        assert crosses(balls(rng, -LEAST))


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.5 * np.pi, 0.0, 0.0), (0.3, 0.9, 0.2)])
def test_a_ball_crosses_a_floor_with_its_pole_as_with_any_other_point(
    turn: tuple[float, float, float],
) -> None:
    assert crosses(meet("ball", "plane", turn, (0.1, 0.2, 1.0 - LEAST)))
    assert not crosses(meet("ball", "plane", turn, (0.1, 0.2, 1.0 + 1e-12)))


@pytest.mark.parametrize("name", ["torus", "cone", "cylinder", "ellipsoid"])
def test_crossings_lie_on_both_surfaces(name: str, rng: np.random.Generator) -> None:
    low = meet(name, "ball", 3.0 * rng.normal(size=3), (0.0, 0.0, 1.3))
    found = surface_crossings(low, 0.0)
    assert len(found) > 0
    away = np.sqrt((found.point**2).sum(axis=1)) - 1.0
    assert np.abs(away).max() <= low.world.body.triangle_bound.max()
    assert (found.depth > 0.0).all()


def bowl() -> Body:
    """An open sheet: the lower part of a sphere of radius 2 about the origin."""
    angle = np.linspace(0.0, 1.2, 9)
    return exact(swept.revolution(2.0 * np.stack([np.sin(angle), -np.cos(angle)], axis=1)), "bowl")


def corner_at(place: Floats) -> Pose:
    """The pose of a unit cube that stands on a corner, that corner at `place`."""
    axis = np.array([-1.0, 1.0, 0.0]) / np.sqrt(2.0)
    turned = Pose.identity().displaced(np.zeros(3), np.arctan(np.sqrt(2.0)) * axis, np.zeros(3))
    lowest = turned.points(meet("cube", "ball").active.body.vertices)
    corner = lowest[lowest[:, 2].argmin()]
    return Pose(turned.rotation, place - corner)


@pytest.mark.parametrize("depth", [1e-6, 1e-4, 4e-3])
def test_a_corner_that_has_gone_through_an_open_sheet_crosses_it(depth: float) -> None:
    over = meet("cube", bowl())
    bottom, up = np.array([0.0, 0.0, -2.0]), np.array([0.0, 0.0, 1.0])
    assert not crosses(over.at(corner_at(bottom + 1e-9 * up)))
    through = surface_crossings(over.at(corner_at(bottom - depth * up)), 0.0)
    assert len(through) > 0
    assert np.sqrt(((through.point - bottom) ** 2).sum(axis=1)).min() < 10.0 * depth + 1e-2


def test_flat_faces_alone_have_no_crossings_of_curved_ones() -> None:
    assert not crosses(meet("cube", "slab", at=(0.0, 0.0, 0.3)))


def test_a_chord_that_lies_inside_a_round_border_is_no_crossing() -> None:
    """The rim of a cylinder bulges over its chords: a ball just above the rim cuts a chord's triangles."""
    for turn in np.linspace(0.0, 0.3, 7):
        out = np.array([np.cos(turn), np.sin(turn), 1.0]) / np.sqrt(2.0)
        rim = np.array([0.5 * np.cos(turn), 0.5 * np.sin(turn), 1.0])
        assert not crosses(meet("ball", "cylinder", at=rim + (1.0 + 1e-9) * out))
        assert crosses(meet("ball", "cylinder", at=rim + (1.0 - 1e-4) * out))


def test_a_limit_surface_crosses_a_floor_with_an_extraordinary_vertex_as_elsewhere() -> None:
    """A rounded cube stands on one of its eight corners, where three faces of its cage meet."""
    points, faces = smooth_meshes.cube()
    rounded = subdivided(points, smooth_meshes.cage_of(faces, points), "rounded cube")
    corner = rounded.triangles.reshape(-1, 3)[(rounded.triangles.reshape(-1, 3) @ np.ones(3)).argmax()]
    assert np.allclose(corner, corner[0], atol=1e-9)
    axis = np.array([-1.0, 1.0, 0.0]) / np.sqrt(2.0)
    over = meet(rounded, "plane", (np.pi - np.arctan(np.sqrt(2.0))) * axis)
    height = -over.pose.points(corner[None])[0, 2]
    assert height > 0.0
    for gap in (1e-8, -LEAST):
        shift = np.array([0.1, 0.2, height + gap * rounded.radius])
        assert crosses(over.at(Pose(over.pose.rotation, shift))) is (gap < 0.0)


@pytest.mark.parametrize("share", [0.15, 0.5, 0.8])
def test_a_box_crosses_a_cone_between_its_tip_and_its_base(share: float) -> None:
    """Triangles that meet at a tip bulge half as much half way to it, where others would by a quarter."""
    box = polyhedron(*cuboid([0.0, 0.0, 0.0], [4e-3, 0.02, 0.02]), "box")
    tip, up = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0])
    for turn in np.linspace(0.0, 0.3, 16):
        out = np.array([np.cos(turn), np.sin(turn), 0.0])
        down, normal = (out - 2.0 * up) / np.sqrt(5.0), (2.0 * out + up) / np.sqrt(5.0)
        attitude = quaternion_of(np.stack([down, np.cross(normal, down), normal], axis=1))
        for depth in (LEAST, -1e-9):
            at = tip + share * np.sqrt(5.0) * down + (0.02 - depth) * normal
            assert crosses(meet(box, "cone").at(Pose(attitude, at))) is (depth > 0.0)


def test_a_long_edge_over_a_ring_is_proven_to_be_apart_by_few_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the edge the planes of the box's faces go on through the ring, and at either end those of the
    ring's parts go through the faces at the other: only the way between them shows that they are apart.
    """
    made, children = 0, SurfaceParts.children

    def counted(parts: SurfaceParts, numbers: Ints) -> tuple[Ints, Ints]:
        nonlocal made
        found = children(parts, numbers)
        made += len(found[0])
        return found

    monkeypatch.setattr(SurfaceParts, "children", counted)
    bar = polyhedron(*cuboid([0.0, 0.0, 0.0], [3.0, 0.5, 0.5]), "bar")
    ring = meet(bar, "torus", (0.25 * np.pi, 0.0, 0.0))
    top = float(ring.world.body.triangles[..., 2].max())
    lowest = float(ring.pose.points(bar.vertices)[:, 2].min())
    for gap in (1e-2, 1e-3, 1e-5):
        assert not crosses(ring.at(Pose(ring.pose.rotation, np.array([0.0, 0.0, top - lowest + gap]))))
    assert crosses(ring.at(Pose(ring.pose.rotation, np.array([0.0, 0.0, top - lowest - 1e-3]))))
    assert made < 2_000
