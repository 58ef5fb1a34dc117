"""A body that is made when it is needed: the whole is that of `polyhedron`, a part is an excerpt of it."""

from dataclasses import fields

import numpy as np
import pytest

from physplace_addon.core.bodies import Body, MeshBody, make_whole, polyhedron
from physplace_addon.core.bodies.excerpt import excerpt
from physplace_addon.core.bodies.mesh_body import some_of
from physplace_addon.core.surfaces.flat import Segments, Triangles
from tests.core import dirty_meshes

OF_THE_WHOLE = {"mass", "radius", "notes"}
MIRRORED = np.array(
    [[0.0, -2.0, 0.1, 3.0], [-1.0, 0.0, 0.4, 1.0], [0.2, 0.0, 1.5, -2.0], [0.0, 0.0, 0.0, 1.0]]
)


def pair(seed: int) -> tuple[Body, MeshBody]:
    mesh = dirty_meshes.dirty(seed)
    return polyhedron(mesh.points, mesh.triangles, "mesh"), MeshBody.of(mesh.points, mesh.triangles, "mesh")


def assert_same(found: Body, expected: Body, but: set[str]) -> None:
    """Two bodies have the same arrays and numbers, but for some fields."""
    assert found.name == expected.name
    for name in {each.name for each in fields(Body)} - but - {"name", "derived", "surfaces", "curves"}:
        mine, theirs = getattr(found, name), getattr(expected, name)
        np.testing.assert_allclose(mine, theirs, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("seed", range(0, 60, 3))
@pytest.mark.parametrize("affine", [None, MIRRORED], ids=["as it is", "mirrored and stretched"])
def test_some_triangles_are_an_excerpt_of_the_whole(
    seed: int, affine: np.ndarray | None, rng: np.random.Generator
) -> None:
    whole, unmade = pair(seed)
    moved: Body = unmade
    if affine is not None:
        whole, moved = whole.transformed(affine, "moved"), unmade.transformed(affine, "moved")
    np.testing.assert_allclose(moved.triangles, whole.triangles, atol=1e-12)
    place = whole.triangles[rng.integers(len(whole.triangles)), 0]
    far = np.linalg.norm(whole.triangles - place, axis=2).min(axis=1)
    kept = far <= rng.uniform(0.0, 0.7) * far.max()
    found, expected = some_of(moved, kept), excerpt(whole, kept)
    assert isinstance(moved, MeshBody), "nothing else of it was made"
    assert_same(found, expected, OF_THE_WHOLE)
    for mine, theirs in ((found.surfaces, expected.surfaces), (found.curves, expected.curves)):
        assert len(mine) == len(theirs)
        for one, other in zip(mine, theirs, strict=True):
            assert isinstance(one, (Triangles, Segments))
            assert type(one) is type(other)
            for name, array in vars(one).items():
                if isinstance(array, np.ndarray):
                    np.testing.assert_allclose(array, getattr(other, name), atol=1e-9, err_msg=name)


@pytest.mark.parametrize("seed", range(1, 30, 4))
def test_the_whole_is_the_polyhedron(seed: int) -> None:
    whole, unmade = pair(seed)
    moved = unmade.transformed(MIRRORED, "moved")
    assert unmade.transformed(np.eye(4)).mass.basis == whole.mass.basis
    expected = whole.transformed(MIRRORED, "moved")
    make_whole(moved)
    for found, other in ((unmade, whole), (moved, expected)):
        assert type(found) is Body
        assert_same(found, other, {"mass", "notes"})
        assert found.notes == other.notes
        np.testing.assert_allclose(found.mass.center, other.mass.center, atol=1e-12)
        np.testing.assert_allclose(found.mass.mass, other.mass.mass, rtol=1e-12)


def test_what_is_no_field_is_no_field() -> None:
    _, unmade = pair(0)
    with pytest.raises(AttributeError, match="nothing"):
        unmade.nothing  # noqa: B018
    assert isinstance(unmade, MeshBody)
