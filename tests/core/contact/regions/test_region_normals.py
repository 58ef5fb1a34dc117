import numpy as np
import pytest
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.regions.region_analysis import contact_regions
from tests.core.contact.regions.test_region_analysis import (
    TOLERANCE,
    Mesh,
    cuboid,
    pair_of,
    pose,
    pyramid,
    regions_between,
)
from tests.core.meshes import beside

UNIT = cuboid((0, 0, 0), (1, 1, 1))
UP = np.array([0.0, 0.0, 1.0])


def only_normal(first: Mesh, second: Mesh, kind: str) -> Floats:
    found = regions_between(first, second)
    assert found.kinds() == [kind]
    normal: Floats = found.normal[0]
    assert np.isclose(np.linalg.norm(normal), 1.0, rtol=0.0, atol=1e-14)
    return normal


def is_along(normal: Floats, direction: ArrayLike) -> bool:
    expected = np.asarray(direction, dtype=np.float64)
    return bool(np.abs(normal - expected / np.linalg.norm(expected)).max() < 1e-12)


@pytest.mark.parametrize("corner", [(1, 1, 1), (-1, 1, 1), (1, -1, -1)])
def test_two_cubes_corner_to_corner_have_the_normal_between_their_centres(corner: tuple[int, ...]) -> None:
    """The paper's formula vanishes here: both average normals are exactly opposite."""
    other = cuboid(corner, np.add(corner, 1))
    assert is_along(only_normal(other, UNIT, "vertex/vertex"), corner)


@pytest.mark.parametrize("side", [1, -1])
def test_two_cubes_edge_to_edge_have_the_normal_between_their_centres(side: int) -> None:
    other = cuboid((1, side, 0.25), (2, 1 + side, 0.75))
    assert is_along(only_normal(other, UNIT, "edge/edge"), (1, side, 0))


def test_a_tip_on_an_edge_has_the_normal_across_the_edge() -> None:
    ridge = cuboid((0, -3, -1), (2, 3, 0))
    for lean in (0.0, 0.5, 1.2):  # the tip leans along the edge, which the normal does not follow
        tip = pyramid((0, 0, 0), (-1.0, lean, 1.0), 0.25)
        normal = only_normal(tip, ridge, "vertex/edge")
        assert abs(normal[1]) < 1e-12
        assert normal[2] > 0.1
        assert normal[0] < -0.1
        assert is_along(-only_normal(ridge, tip, "edge/vertex"), normal)


def test_two_edges_that_cross_have_their_cross_product() -> None:
    roof = (
        np.array(
            [[-1, 0, 0], [1, 0, 0], [-1, -1, -1], [1, -1, -1], [-1, 1, -1], [1, 1, -1]], dtype=np.float64
        ),
        np.array([[0, 2, 3], [0, 3, 1], [0, 1, 5], [0, 5, 4], [2, 4, 5], [2, 5, 3], [0, 4, 2], [1, 3, 5]]),
    )
    keel = (roof[0][:, [1, 0, 2]] * [1.0, 1.0, -1.0], roof[1])
    found = regions_between(keel, roof)
    assert found.kinds() == ["edge/edge"]
    assert found.dimension.tolist() == [0]
    assert is_along(found.normal[0], UP)
    assert is_along(regions_between(roof, keel).normal[0], -UP)


def two_cubes_at_a_vertex() -> Mesh:
    """Two cubes that share the vertex at the origin alone, as one body."""
    points, triangles = beside(cuboid((0, 0, 0), (1, 1, 1)), cuboid((-1, -1, 0), (0, 0, 1)))
    places, number = np.unique(points, axis=0, return_inverse=True)
    return places, number.reshape(-1)[triangles]


def test_a_vertex_that_is_no_manifold_has_the_average_of_its_components_normals() -> None:
    """Both components' own normals lean to opposite sides; their average does not."""
    both = two_cubes_at_a_vertex()
    tip = pyramid((0, 0, 0), (0, 0, -2), 0.25)
    tip = (tip[0], tip[1][:, ::-1])
    assert is_along(only_normal(both, tip, "vertex/vertex"), UP)
    one = cuboid((0, 0, 0), (1, 1, 1))
    assert not is_along(only_normal(one, tip, "vertex/vertex"), UP)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_an_open_sheet_has_the_normal_towards_what_stands_on_it(side: float) -> None:
    sheet = (
        np.array([[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]], dtype=np.float64),
        np.array([[0, 1, 2], [0, 2, 3]]),
    )
    tip = pyramid((0, 0, 0), (0, 0, side), 0.25)
    tip = tip if side > 0.0 else (tip[0], tip[1][:, ::-1])
    assert is_along(only_normal(tip, sheet, "vertex/face"), side * UP)
    assert is_along(only_normal(sheet, tip, "face/vertex"), -side * UP)
    block = cuboid((0, 0, min(side, 0.0)), (1, 1, max(side, 0.0)))
    assert is_along(only_normal(block, sheet, "face/face"), side * UP)


def test_normals_turn_with_the_pair() -> None:
    turn = np.array([0.4, -0.2, 0.7])
    place = pose(turn, (0.1, 0.2, 0.3))
    for other in (
        cuboid((1, 1, 1), (2, 2, 2)),
        cuboid((1, 1, 0.2), (2, 2, 0.7)),
        cuboid((0, 0, 1), (1, 1, 2)),
    ):
        still = contact_regions(pair_of(other, UNIT), TOLERANCE)
        turned = contact_regions(pair_of(other, (place.points(UNIT[0]), UNIT[1]), place), TOLERANCE)
        assert np.abs(place.vectors(still.normal) - turned.normal).max() < 1e-9
