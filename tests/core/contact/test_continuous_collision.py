"""Flat features that cross during a motion, beside dense sampling of that motion."""

import numpy as np

from physplace_addon.core.bodies import Body
from physplace_addon.core.contact.continuous_collision import swept_contacts
from physplace_addon.core.contact.features import FACE, VERTEX
from physplace_addon.core.contact.interpenetration import triangles_overlap
from physplace_addon.core.contact.points.interface_points import InterfacePoints
from tests.core.contact.body_pairs import meet, sheet_over_spike

CORNER_DOWN = (0.6, 0.5, 0.0)
EDGE_DOWN = (0.25 * np.pi, 0.0, 0.0)


def kinds_crossed(
    active: str,
    world: str | Body,
    turn: tuple[float, float, float],
    start: tuple[float, float, float],
    end: tuple[float, float, float],
) -> tuple[set[str], InterfacePoints]:
    motion = meet(active, world, turn, start), meet(active, world, turn, end)
    (crossed,) = swept_contacts([motion])
    return set(crossed.kinds()), crossed


def test_a_vertex_pushed_through_a_triangle_is_reported() -> None:
    kinds, crossed = kinds_crossed("cube", "plane", CORNER_DOWN, (0.1, 0.2, 1.0), (0.1, 0.2, 0.6))
    assert "vertex/face" in kinds
    assert (crossed.normal[:, 2] > 1.0 - 1e-12).all()
    assert (crossed.gap > 0.0).all()


def test_a_face_pushed_over_a_vertex_is_reported() -> None:
    kinds, crossed = kinds_crossed("cube", "cube", (0.0, 0.0, 0.0), (0.3, 0.4, 1.1), (0.3, 0.4, 0.9))
    assert "face/vertex" in kinds
    assert (crossed.gap > 0.0).all()


def test_an_edge_pushed_through_an_edge_is_reported() -> None:
    start, end = (0.0, 0.0, 1.5), (0.0, 0.0, 1.0)
    world = meet("cube", "cube").active.body.transformed(
        np.array(meet("cube", "cube", (0.0, 0.25 * np.pi, 0.0)).pose.matrix4)
    )
    kinds, crossed = kinds_crossed("cube", world, EDGE_DOWN, start, end)
    assert "edge/edge" in kinds
    lowest = crossed.take(np.array(crossed.kinds(), dtype=object) == "edge/edge")
    assert np.abs(lowest.normal - [0.0, 0.0, 1.0]).max(axis=1).min() < 1e-12


def over_a_spike(rise: float, shift: float, down: float) -> InterfacePoints:
    """What an open sheet's faces cross as it moves over a corner."""
    start = sheet_over_spike(rise, (-0.02, 0.0, 1e-6))
    end = sheet_over_spike(rise, (shift, 0.0, 1e-6 - down))
    (crossed,) = swept_contacts([(start, start.at(end.pose))])
    return crossed.take((crossed.dim1 == FACE) & (crossed.dim2 == VERTEX))


def test_a_corner_that_comes_out_of_a_convex_edge_is_held_by_the_face_that_it_went_into() -> None:
    """The other face would hold it back behind its plane, where it was while it was beside that face."""
    crossed = over_a_spike(rise=0.6, shift=0.1, down=1e-4)
    assert crossed.piece1.tolist() == [0]
    np.testing.assert_allclose(crossed.normal, [[0.0, 0.0, 1.0]], atol=1e-12)


def test_a_corner_that_goes_into_the_far_side_of_a_hollow_edge_alone_is_held_there() -> None:
    crossed = over_a_spike(rise=-0.6, shift=0.1, down=0.0)
    assert crossed.piece1.tolist() == [1]
    assert crossed.normal[0, 2] > 0.0


def test_a_step_all_the_way_through_a_sheet_is_reported() -> None:
    kinds, _ = kinds_crossed("cube", "plane", CORNER_DOWN, (0.0, 0.0, 1.2), (0.0, 0.0, -1.2))
    assert "vertex/face" in kinds
    assert not triangles_overlap(meet("cube", "plane", CORNER_DOWN, (0.0, 0.0, -1.2)), 1e-9)


def test_sliding_over_a_face_crosses_nothing() -> None:
    kinds, _ = kinds_crossed("cube", "plane", (0.0, 0.0, 0.2), (0.0, 0.0, 0.5001), (0.3, 0.2, 0.5001))
    assert kinds == set()


def test_sliding_past_a_corner_crosses_nothing() -> None:
    kinds, _ = kinds_crossed("cube", "cube", (0.0, 0.0, 0.0), (1.001, -0.4, 0.2), (1.001, 1.4, 0.2))
    assert kinds == set()


def test_what_crosses_a_sheet_is_what_dense_sampling_of_the_motion_finds(rng: np.random.Generator) -> None:
    """A corner crosses if it is above the sheet at the start and below it later."""
    crossings = 0
    for _ in range(40):
        turn, height = rng.normal(size=3), rng.uniform(-0.6, 1.4)
        start, end = np.array([0.1, 0.2, height]), np.array([0.4, -0.1, height - rng.uniform(0.0, 0.8)])
        (crossed,) = swept_contacts([(meet("cube", "plane", turn, start), meet("cube", "plane", turn, end))])
        at = [
            meet("cube", "plane", turn, (1.0 - part) * start + part * end) for part in np.linspace(0, 1, 51)
        ]
        heights = np.array([pair.pose.points(pair.active.body.vertices)[:, 2] for pair in at])
        through = np.nonzero((heights[0] > 0.0) & (heights < 0.0).any(axis=0))[0]
        from_above = (crossed.dim1 == VERTEX) & (crossed.dim2 == FACE) & (crossed.normal[:, 2] > 0.0)
        assert set(through.tolist()) == set(crossed.index1[from_above].tolist())
        crossings += len(through)
    assert crossings > 10


def test_motions_in_one_batch_give_what_each_gives_alone(rng: np.random.Generator) -> None:
    motions = []
    for _ in range(6):
        turn, at = rng.normal(size=3), (0.2, 0.1, rng.uniform(0.6, 1.2))
        motions.append((meet("cube", "cube", turn, at), meet("cube", "cube", turn, (0.2, 0.1, 0.3))))
    for motion, together in zip(motions, swept_contacts(motions), strict=True):
        (alone,) = swept_contacts([motion])
        assert together.kinds() == alone.kinds()
        np.testing.assert_array_equal(together.gap, alone.gap)
