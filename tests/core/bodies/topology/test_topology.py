"""The boundary representation of polyhedra: faces, loops, edges and vertices of shapes that are known."""

import numpy as np
import pytest

from physplace_addon.core.bodies import merge, polyhedron
from physplace_addon.core.bodies.topology import Topology, topology_of
from physplace_addon.core.mesh.edges import edge_table
from physplace_addon.core.mesh.inside import windings
from tests.core.dirty_meshes import dirty
from tests.core.meshes import (
    CUBE_POINTS,
    CUBE_TRIANGLES,
    SQUARE_POINTS,
    SQUARE_TRIANGLES,
    beside,
    moebius,
    torus,
    voxels,
)

Mesh = tuple[np.ndarray, np.ndarray]


def made(points: np.ndarray, triangles: np.ndarray) -> Topology:
    return topology_of(polyhedron(points, triangles, "body"))


def counts(topology: Topology) -> tuple[int, int, int]:
    return topology.face_count, topology.edge_count, topology.vertex_count


def euler(topology: Topology) -> int:
    """V - E + F less the holes in faces: 2 (shells - genus) for a solid."""
    holes = len(topology.loop_face) - topology.face_count
    return topology.vertex_count - topology.edge_count + topology.face_count - holes


def turn(seed: int) -> np.ndarray:
    matrix = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return np.asarray(matrix * np.sign(np.linalg.det(matrix)))


def prism(outline: np.ndarray, height: float) -> Mesh:
    """A prism over a convex polygon (n, 2), counterclockwise, its caps with a point in the middle."""
    n = len(outline)
    middle = outline.mean(axis=0)
    points = np.concatenate([np.insert([*outline, middle], 2, z, axis=1) for z in (0.0, height)])
    i, top = np.arange(n), n + 1
    j = (i + 1) % n
    sides = [np.stack([i, j, top + j], axis=1), np.stack([i, top + j, top + i], axis=1)]
    caps = [np.stack([j, i, 0 * i + n], axis=1), np.stack([top + i, top + j, 0 * i + top + n], axis=1)]
    return points, np.concatenate(sides + caps)


def circle(n: int) -> np.ndarray:
    angle = 2.0 * np.pi * np.arange(n) / n
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def window(outer: float = 3.0, inner: float = 1.0, height: float = 1.0) -> Mesh:
    """A square frame: a block with a square hole through it."""
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2.0
    rings = [np.insert(size * square, 2, z, axis=1) for z in (0.0, height) for size in (outer, inner)]
    triangles = []
    for i in range(4):
        j = (i + 1) % 4
        quads = [(j, i, 4 + i, 4 + j), (8 + i, 8 + j, 12 + j, 12 + i), (i, j, 8 + j, 8 + i)]
        quads.append((4 + j, 4 + i, 12 + i, 12 + j))
        triangles += [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return np.concatenate(rings), np.array(triangles)


def grid(n: int) -> Mesh:
    """A unit square of 2 n n triangles."""
    i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    points = np.stack([i, j, 0 * i], axis=-1).reshape(-1, 3) / n
    a = (i[:-1, :-1] * (n + 1) + j[:-1, :-1]).ravel()
    halves = [np.stack([a, a + n + 1, a + n + 2], axis=1), np.stack([a, a + n + 2, a + 1], axis=1)]
    return points, np.concatenate(halves)


def test_a_cube_has_six_faces_twelve_edges_and_eight_vertices() -> None:
    cube = made(CUBE_POINTS, CUBE_TRIANGLES)
    assert counts(cube) == (6, 12, 8)
    assert np.allclose(cube.edge_angle, 0.5 * np.pi, rtol=0.0, atol=1e-15)
    assert np.all(cube.face_area == 1.0)
    assert np.all(cube.face_offset == 0.5)
    assert cube.loop_outer.all()
    assert np.all(np.diff(cube.loop_start) == 4)
    assert np.all(np.diff(cube.vertex_edge_start) == 3)
    assert np.all(np.diff(cube.vertex_face_start) == 3)
    assert np.all(np.diff(cube.vertex_component_start) == 1)
    assert np.all(np.diff(cube.vertex_cone_start) == 3)


def test_a_square_has_one_loop_and_borders_without_angles() -> None:
    square = made(SQUARE_POINTS, SQUARE_TRIANGLES)
    assert counts(square) == (1, 4, 4)
    assert np.isnan(square.edge_angle).all()


def test_the_topology_of_a_body_is_made_once() -> None:
    body = polyhedron(CUBE_POINTS, CUBE_TRIANGLES, "cube")
    assert topology_of(body) is topology_of(body)


def test_loops_run_around_their_faces() -> None:
    frame = made(*window())
    assert counts(frame) == (10, 24, 16)
    assert len(frame.loop_face) == 12
    assert euler(frame) == 0
    for face in range(frame.face_count):
        loops = range(frame.face_loop_start[face], frame.face_loop_start[face + 1])
        area = sum(_loop_area(frame, loop) @ frame.face_normal[face] for loop in loops)
        assert np.isclose(area, frame.face_area[face], rtol=1e-14)
        assert [bool(frame.loop_outer[loop]) for loop in loops] == [True] + [False] * (len(loops) - 1)
    assert sorted(np.diff(frame.face_loop_start).tolist()) == [1] * 8 + [2] * 2


def _loop_area(topology: Topology, loop: int) -> np.ndarray:
    rows = slice(topology.loop_start[loop], topology.loop_start[loop + 1])
    corners = topology.vertices[topology.loop_vertices[rows]]
    ends = topology.edge_vertices[topology.loop_edges[rows]]
    walked = np.where(topology.loop_forward[rows, None], ends, ends[:, ::-1])
    assert np.array_equal(walked[:, 0], topology.loop_vertices[rows])
    assert np.array_equal(walked[:, 1], np.roll(walked[:, 0], -1))
    corners = corners - corners[0]
    return np.asarray(0.5 * np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0))


def test_inner_edges_of_a_hole_are_concave_only_in_the_material() -> None:
    frame = made(*window())
    inside = (np.abs(frame.edge_ends[..., :2]) == 0.5).all(axis=(1, 2))
    upright = frame.edge_direction[:, 2] != 0.0
    assert np.allclose(frame.edge_angle[inside & upright], -0.5 * np.pi)
    assert np.allclose(frame.edge_angle[~(inside & upright)], 0.5 * np.pi)


@pytest.mark.parametrize("angle", [1e-3, 0.3, 1.5, 3.0, -1e-3, -0.3, -1.5, -3.0])
def test_the_dihedral_angle_is_the_turn_of_the_normal(angle: float) -> None:
    points = np.array([[0, 0, 0], [0, 1, 0], [-1, 0, 0], [np.cos(angle), 0, -np.sin(angle)]])
    bent = made(points @ turn(1).T, np.array([[0, 1, 2], [1, 0, 3]]))
    assert np.isclose(bent.edge_angle[~np.isnan(bent.edge_angle)], angle, rtol=0.0, atol=1e-14)


def test_conormals_point_into_their_faces() -> None:
    for mesh in (window(), torus(12, 8), (CUBE_POINTS @ turn(3).T, CUBE_TRIANGLES)):
        found = made(*mesh)
        edge = np.repeat(np.arange(found.edge_count), np.diff(found.edge_face_start))
        middle = found.edge_ends[edge].mean(axis=1)
        inner = middle + 1e-3 * found.edge_conormals
        for place, face in zip(inner, found.edge_faces, strict=True):
            rows = found.face_triangles[found.face_triangle_start[face] : found.face_triangle_start[face + 1]]
            assert _contains(found.points[found.triangles[rows]], place)


def _contains(corners: np.ndarray, place: np.ndarray) -> bool:
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sides = np.roll(corners, -1, axis=1) - corners
    inside = np.einsum("tsi,ti->ts", np.cross(sides, place - corners), normal) > -1e-9
    return bool(inside.all(axis=1).any())


def test_two_cubes_at_one_edge_have_two_components_there() -> None:
    pair = made(
        *beside((CUBE_POINTS, CUBE_TRIANGLES), (np.add(CUBE_POINTS, [1.0, 1.0, 0.0]), CUBE_TRIANGLES))
    )
    assert counts(pair) == (12, 23, 14)
    shared = np.flatnonzero(np.diff(pair.edge_face_start) == 4)
    assert len(shared) == 1
    rows = slice(pair.edge_face_start[shared[0]], pair.edge_face_start[shared[0] + 1])
    cube = pair.face_shell[pair.edge_faces[rows]]
    middle = np.array([_middle(pair, face) @ [1.0, 1.0, 0.0] > 1.0 for face in pair.edge_faces[rows]])
    assert len(np.unique(cube)) == 1
    assert len(set(zip(pair.edge_components[rows].tolist(), middle.tolist(), strict=True))) == 2
    assert np.isnan(pair.edge_angle[shared])
    components = np.diff(pair.vertex_component_start)
    assert sorted(components.tolist()) == [1] * 12 + [2] * 2
    assert np.all(np.diff(pair.component_face_start) == 3)


@pytest.mark.parametrize("seed", range(6))
def test_faces_of_one_component_of_an_edge_bound_one_wedge_of_matter(seed: int) -> None:
    """Of random cubes on a grid many touch in edges; the wedge between two faces of one cube is full."""
    rng = np.random.default_rng(seed)
    points, triangles = voxels(rng.random((3, 3, 3)) < 0.5)
    body = polyhedron(points @ turn(seed).T, triangles, "cubes")
    found = topology_of(body)
    edge = np.repeat(np.arange(found.edge_count), np.diff(found.edge_face_start))
    crowded = np.flatnonzero(np.diff(found.edge_face_start)[edge] == 4)
    assert body.closed
    assert len(crowded) > 0
    key = 4 * edge[crowded] + found.edge_components[crowded]
    order = crowded[np.argsort(key, kind="stable")].reshape(-1, 2)
    assert np.array_equal(found.edge_components[order[:, 0]], found.edge_components[order[:, 1]])
    middle = found.edge_ends[edge[order[:, 0]]].mean(axis=1)
    assert np.all(windings(body.triangles, middle + 0.1 * found.edge_conormals[order].sum(axis=1)) == 1)
    assert np.all(found.edge_signs[order].sum(axis=1) == 0)


def _middle(topology: Topology, face: int) -> np.ndarray:
    rows = topology.face_triangles[
        topology.face_triangle_start[face] : topology.face_triangle_start[face + 1]
    ]
    return np.asarray(topology.points[topology.triangles[rows]].mean(axis=(0, 1)))


def test_two_cubes_at_one_vertex_have_two_components_there() -> None:
    pair = made(*beside((CUBE_POINTS, CUBE_TRIANGLES), (CUBE_POINTS + 1.0, CUBE_TRIANGLES)))
    assert counts(pair) == (12, 24, 15)
    assert sorted(np.diff(pair.vertex_component_start).tolist()) == [1] * 14 + [2]
    assert np.all(np.diff(pair.edge_face_start) == 2)
    assert len(np.unique(pair.face_shell)) == 2


def test_a_fin_stays_a_third_face_at_its_edge() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1]], dtype=float)
    found = made(points, np.array([[0, 1, 2], [0, 2, 3], [0, 2, 4]]))
    assert sorted(np.diff(found.edge_face_start).tolist()) == [1] * 6 + [3]


def test_a_cone_that_stands_on_a_face_with_its_tip_makes_a_vertex_there() -> None:
    points, triangles = grid(2)
    tip = len(points) // 2
    above = np.array([[0.3, 0.3, 1], [0.7, 0.3, 1], [0.5, 0.7, 1]])
    n = len(points)
    cone = np.array([[tip, n + 1, n], [tip, n + 2, n + 1], [tip, n, n + 2], [n, n + 1, n + 2]])
    found = made(np.concatenate([points, above]), np.concatenate([triangles, cone]))
    assert counts(found) == (5, 10, 8)
    here = np.flatnonzero((found.vertices == [0.5, 0.5, 0.0]).all(axis=1))
    assert len(here) == 1
    first, last = found.vertex_component_start[here[0]], found.vertex_component_start[here[0] + 1]
    assert last - first == 2
    rows = slice(found.vertex_cone_start[here[0]], found.vertex_cone_start[here[0] + 1])
    assert np.any(found.vertex_cones[rows, 2] == 0.0)  # the directions of the sheet around the tip


def test_the_cone_of_a_reflex_corner_is_spanned_by_directions_inside_it() -> None:
    outline = np.array([[0, 0], [2, 0], [2, 2], [1, 1], [0, 2]], dtype=float)
    points = np.insert(outline, 2, 0.0, axis=1)
    found = made(points, np.array([[0, 1, 3], [1, 2, 3], [0, 3, 4]]))
    corner = int(np.flatnonzero((found.vertices == [1, 1, 0]).all(axis=1))[0])
    cone = found.vertex_cones[found.vertex_cone_start[corner] : found.vertex_cone_start[corner + 1]]
    assert len(cone) == 4
    assert np.isclose(cone[:, 1].min(), -np.sqrt(0.5))


def test_the_sides_of_a_moebius_strip_agree_with_nobody() -> None:
    strip = made(*moebius(30))
    assert not strip.closed
    assert np.all(np.diff(strip.edge_face_start) <= 2)
    assert np.isnan(strip.edge_angle).any()


@pytest.mark.parametrize("seed", range(60))
def test_dirty_meshes_keep_their_area_their_planes_and_their_euler_number(seed: int) -> None:
    mesh = dirty(seed)
    body = polyhedron(mesh.points, mesh.triangles, "dirty")
    found = topology_of(body)
    corners, face = body.triangles, found.triangle_face
    sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.isclose(0.5 * np.linalg.norm(sides, axis=1).sum(), found.face_area.sum(), rtol=1e-9)
    heights = np.einsum("tci,ti->tc", corners, found.face_normal[face]) - found.face_offset[face][:, None]
    rounding = 1e-14 * np.abs(body.points).max()
    assert np.all(np.abs(heights) <= found.face_deviation[face][:, None] + rounding)
    assert np.all(found.face_deviation <= found.tolerance)
    edges = edge_table(body.triangle_corners)
    assert euler(found) == body.point_count - len(edges.count) + len(body.triangles)
    assert np.array_equal(np.sort(found.face_triangles), np.arange(len(body.triangles)))
    assert np.allclose(np.linalg.norm(found.edge_conormals, axis=1), 1.0)


def test_a_torus_has_genus_one_and_as_many_faces_as_quadrilaterals() -> None:
    ring = made(*torus(24, 12))
    assert counts(ring) == (288, 576, 288)
    assert euler(ring) == 0


def test_a_shell_inside_another_counts() -> None:
    nested = made(*beside((CUBE_POINTS, CUBE_TRIANGLES), (0.5 * CUBE_POINTS, CUBE_TRIANGLES)))
    assert euler(nested) == 4
    assert len(np.unique(nested.face_shell)) == 2


@pytest.mark.parametrize("scale", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("offset", [0.0, 30.0, 1000.0])
def test_size_place_and_mirror_do_not_matter(scale: float, offset: float) -> None:
    for points, triangles in (window(), torus(12, 8), prism(circle(64), 1.0), grid(5)):
        plain = counts(made(points, triangles))
        placed = scale * (points @ turn(5).T + offset * np.array([1.0, 0.3, -0.7]))
        assert counts(made(placed, triangles)) == plain
        assert counts(made(placed * [1.0, 1.0, -1.0], triangles[:, ::-1])) == plain


@pytest.mark.parametrize("scale", [1e-3, 100.0])
def test_faces_that_float32_bends_are_merged(scale: float) -> None:
    for points, triangles in (window(), prism(circle(48), 1.0), grid(40), (CUBE_POINTS, CUBE_TRIANGLES)):
        rounded = (scale * points @ turn(7).T).astype(np.float32).astype(float)
        assert counts(made(rounded, triangles)) == counts(made(points, triangles))


def test_float32_far_from_the_origin_is_merged_too() -> None:
    points, triangles = window()
    rounded = (points @ turn(7).T + [20.0, -60.0, 50.0]).astype(np.float32).astype(float)
    assert counts(made(rounded, triangles)) == (10, 24, 16)


@pytest.mark.parametrize("cells", [1, 4, 20])
def test_a_plate_that_is_level_to_a_slope_of_1e_4_keeps_its_facets(cells: int) -> None:
    points, triangles = grid(cells)
    points[:, 2] = 1e-4 / cells * np.random.default_rng(2).permutation(len(points)) % 3e-4
    assert made(points, triangles).face_count > 1.8 * cells * cells


def test_a_roof_of_slope_1e_4_has_two_faces() -> None:
    points, triangles = grid(40)
    points[:, 2] = 1e-4 * np.minimum(points[:, 0], 1.0 - points[:, 0])
    roof = made(points, triangles)
    assert counts(roof) == (2, 7, 6)
    ridge = roof.edge_angle[~np.isnan(roof.edge_angle)]
    assert np.isclose(ridge, 2e-4, rtol=1e-3)


def test_a_smooth_bend_is_no_plane() -> None:
    """Its facets are so fine that each is planar with the next within the tolerance."""
    points, triangles = grid(200)
    points[:, 2] = 1e-4 * points[:, 0] ** 2
    bend = made(points, triangles)
    assert 5 < bend.face_count < 2000
    assert np.all(bend.face_deviation <= bend.tolerance)
    assert np.isclose(bend.face_area.sum(), 1.0)


def test_a_flat_floor_next_to_a_bend_is_one_face() -> None:
    points, triangles = grid(100)
    points[:, 2] = 0.2 * np.maximum(points[:, 0] - 0.5, 0.0) ** 2
    assert made(points, triangles).face_area.max() > 0.49


def test_a_prism_of_ten_thousand_sides_has_all_of_them() -> None:
    found = made(*prism(circle(10_000), 1.0))
    assert counts(found) == (10_002, 30_000, 20_000)
    assert euler(found) == 2


def test_caps_divided_from_corner_to_corner_leave_a_fine_prism_closed() -> None:
    """Triangles of three corners that follow each other are as low as rounding of float32."""
    n = 10_000
    points = np.concatenate([np.insert(circle(n), 2, z, axis=1) for z in (0.0, 1.0)])
    sides = prism(circle(n), 1.0)[1][: 2 * n]
    sides = np.where(sides > n, sides - 1, sides)
    k = np.arange(1, n - 1)
    caps = [np.stack([0 * k, k + 1, k], axis=1), np.stack([0 * k + n, n + k, n + k + 1], axis=1)]
    body = polyhedron(points, np.concatenate([sides, *caps]), "prism")
    assert body.closed
    assert not body.notes
    assert counts(topology_of(body)) == (10_002, 30_000, 20_000)


def test_a_small_part_of_a_large_body_keeps_its_faces() -> None:
    ring = torus(24, 12)
    both = beside((1e4 * CUBE_POINTS, CUBE_TRIANGLES), (ring[0] * 0.02 + [0.0, 0.0, 6e3], ring[1]))
    box = polyhedron(1e4 * CUBE_POINTS, CUBE_TRIANGLES, "box")
    world = merge([box, polyhedron(ring[0], ring[1], "ring")], "world")
    assert topology_of(world).face_count == 6 + 288
    assert made(*both).face_count == 6 + 288
