"""Dirty meshes dropped on one another rest where they say they do, judged on their triangles alone.

Nothing cuts deeper than 1e-6 R at any state; at the rest no small free motion lowers the body by more than a
thousandth of its size, unless the report calls it metastable; and the contacts that are reported can carry
the weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.placement import Certificate, Placement, Settings
from physplace_addon.core.placement.certificate import Contacts as Reported
from physplace_addon.core.rigid import Pose
from tests.core.dirty_meshes import Dirty, dirty, dirty_bowl
from tests.core.placement.dirt import OVERLAP, square
from tests.oracles.balance import balanced
from tests.oracles.contacts import Contacts
from tests.oracles.frames import quaternion_of, random_rotation, rotation_of
from tests.oracles.free_moves import Resting, greatest_fall, small_motions
from tests.oracles.soups import Soup, deepest_crossing

HELD = 1e-6  # imbalance, over the weight
FALL = 1e-3  # loss of height over the size of a motion
ASIDE = 0.15  # how far from the middle of the lower mesh, over its width, one is dropped

DROPS = (  # the mesh that is dropped, its size, the one that stands, whether that is a bowl, and the attitude
    (84, 0.6, 124, False, 0),
    (7, 0.6, 143, False, 0),
    (154, 0.35, 170, False, 0),
    (155, 0.6, 72, True, 0),
    (154, 0.6, 183, True, 0),
    (174, 0.6, 91, True, 0),
    (174, 0.6, 91, True, 4),
    (12, 0.6, 91, True, 0),
    (118, 0.35, 160, True, 0),
    (118, 0.35, 160, True, 1),
    (68, 0.6, 167, True, 0),
    (29, 1.0, 109, True, 0),
    (29, 1.0, 109, True, 3),
    (157, 0.35, 174, True, 0),
    (157, 0.35, 174, True, 1),
)
UP = np.array([0.0, 0.0, 1.0])
UNDER = 10.0  # half width of the floor


def of_size(mesh: Dirty, half: float) -> Dirty:
    """The mesh with its middle at the origin and half its greatest width as given."""
    low, high = mesh.seen.min(axis=(0, 1)), mesh.seen.max(axis=(0, 1))
    scale = 2.0 * half / float((high - low).max())
    return mesh.moved(scale, -0.5 * scale * (low + high))


def dropped(body: Body, mesh: Dirty, below: Dirty, random: np.random.Generator) -> tuple[Placement, Soup]:
    """A placement, run to its end, of a body in any attitude over another mesh on a floor, and the triangles
    of what stands.
    """
    turn, low, high = random_rotation(random), below.seen.min(axis=(0, 1)), below.seen.max(axis=(0, 1))
    floor = polyhedron(square(UNDER).points + low * UP, [[0, 1, 2], [0, 2, 3]], "floor")
    middle = 0.5 * (low + high) + ASIDE * (high - low) * random.uniform(-1.0, 1.0, 3)
    at = middle - turn @ body.mass.center
    at[2] = high[2] - (mesh.seen @ turn[2]).min() + 0.1 * body.radius
    world = [polyhedron(below.points, below.triangles, "below"), floor]
    placement = Placement(body, Pose(quaternion_of(turn), at), world, Settings())
    placement.run()
    return placement, Soup.of(np.concatenate([below.seen, floor.triangles]))


def imbalance(contacts: Reported, centre: np.ndarray, radius: float) -> float:
    """The largest part of the weight that forces at the contacts of a report leave."""
    body = np.zeros(len(contacts), np.intp)
    touching = Contacts(body, body + 1, contacts.position, contacts.normal)
    return balanced(touching, [centre], [1.0], [radius]).imbalance


@dataclass(frozen=True)
class Judged:
    """What a placement reports, and what its triangles show.

    overlap: the deepest one of any state, over R; imbalance: of the reported contacts, over the weight; fall:
    the greatest loss of height by a small free motion, over its size.
    """

    certificate: Certificate
    overlap: float
    imbalance: float
    fall: float


def judged(upper: int, size: float, lower: int, in_bowl: bool, attitude: int) -> Judged:
    """Drop a dirty mesh on another, or into a dirty bowl, and judge it."""
    mesh = of_size(dirty(upper), size)
    below = dirty_bowl(lower) if in_bowl else of_size(dirty(lower), 1.0)
    body = polyhedron(mesh.points, mesh.triangles, mesh.label)
    placement, standing = dropped(body, mesh, below, np.random.default_rng([upper, lower, attitude]))
    certificate, own = placement.certificate(), Soup.of(mesh.seen)
    poses = [(rotation_of(state.pose.rotation), state.pose.translation) for state in placement.states]
    depth = max(deepest_crossing(own.moved(*pose), standing) for pose in poses)
    centre = placement.state.pose.points(body.mass.center)
    rest = Resting(own.moved(*poses[-1]), standing, centre, body.radius)
    return Judged(
        certificate,
        depth / body.radius,
        imbalance(certificate.contacts, centre, body.radius),
        greatest_fall(rest, small_motions(np.random.default_rng(3), 200)),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("upper", "size", "lower", "in_bowl", "attitude"), DROPS)
def test_a_dirty_mesh_rests_on_another_as_it_is_reported(
    upper: int, size: float, lower: int, in_bowl: bool, attitude: int
) -> None:
    found = judged(upper, size, lower, in_bowl, attitude)
    assert found.certificate.status.at_rest
    assert found.overlap <= OVERLAP
    assert found.imbalance < HELD
    assert found.fall < FALL or not found.certificate.stable
