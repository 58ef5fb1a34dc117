"""Half-edges of cages: what follows, what lies across, and what is sharp for ever."""

import numpy as np
import pytest

from physplace_addon.core.surfaces.subdivision.cage import (
    cage_around,
    half_edges_of,
    with_infinite_sharpness,
)
from tests.core.surfaces.subdivision import cages

CAGES = cages.cages()
each_cage = pytest.mark.parametrize("name", CAGES)


@each_cage
def test_a_half_edge_is_its_twin_s_twin_and_runs_the_other_way(name: str) -> None:
    cage = CAGES[name][1]
    paired = np.flatnonzero(cage.twin >= 0)
    twin = cage.twin[paired]
    assert (cage.twin[twin] == paired).all()
    assert (cage.corners[twin] == cage.heads[paired]).all()
    assert (cage.edge[twin] == cage.edge[paired]).all()


@each_cage
def test_going_round_a_face_comes_back(name: str) -> None:
    cage = CAGES[name][1]
    every = np.arange(len(cage.corners))
    at = every
    for step in range(int(cage.sizes.max())):
        at = np.where(step < cage.sizes[cage.face], cage.next[at], at)
        assert (cage.face[at] == cage.face).all()
    assert (at == every).all()
    assert (cage.previous[cage.next] == every).all()


@each_cage
def test_edges_without_a_twin_become_sharp_for_ever(name: str) -> None:
    cage = with_infinite_sharpness(CAGES[name][1], False)
    assert np.isinf(cage.edge_sharpness[cage.twin < 0]).all()
    assert (cage.edge_sharpness >= 0.0).all()


def test_the_corner_of_a_single_face_is_kept_where_it_is_wanted() -> None:
    _, cage = CAGES["one"]
    assert not np.isinf(with_infinite_sharpness(cage, False).vertex_sharpness).any()
    assert np.isinf(with_infinite_sharpness(cage, True).vertex_sharpness).all()


def test_faces_and_those_around_them_are_a_cage_of_their_own() -> None:
    points, cage = CAGES["crossing creases"]
    part, faces, vertices = cage_around(cage, np.array([4]))
    assert faces[0] == 4
    assert (points[vertices][part.corners[:4]] == points[cage.corners[half_edges_of(cage, faces[:1])]]).all()
    touching = np.isin(cage.corners, cage.corners[half_edges_of(cage, faces[:1])]).reshape(-1, 4).any(axis=1)
    assert sorted(faces.tolist()) == np.flatnonzero(touching).tolist()
