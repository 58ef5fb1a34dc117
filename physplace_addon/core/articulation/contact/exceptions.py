"""Which parts of a linkage may overlap: those that do so in the rest pose.

Parts at a joint overlap there, as a rule, or touch: their meshes could not bend otherwise.  So pairs of
neighbours at a joint are excepted where they are nearer to each other in the rest pose than _TOUCHING.  That
holds for a part and the world, too, where a joint connects them.  Other pairs are excepted only where they
overlap: their meshes do so wherever they go, and nothing could be done about it.  All of them are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...contact.system import FIXED, ContactSystem, Pair, triangle_overlaps
from ...mechanics.point_depths import inside_solid
from ...mechanics.start import contained
from ..groups import RigidGroups

_TOUCHING = 1e-2  # distance of neighbours, over the lesser radius, that touch
_DEPTH = 1e-3  # depth of triangles in each other, over the lesser radius, that is no rounding


def never_meeting(groups: RigidGroups, system: ContactSystem) -> tuple[frozenset[Pair], frozenset[Pair]]:
    """Return the pairs of parts that may go through each other, and those of them that do so because they
    overlap.

    Args:
        groups: of the linkage.
        system: the parts at the rest pose.
    """
    part_group = groups.part_group.tolist()
    together = {
        (a, b)
        for a in range(len(system))
        for b in range(a + 1, len(system))
        if part_group[a] == part_group[b]
    }
    still = {(part, FIXED) for part, group in enumerate(part_group) if group == FIXED}
    together |= _of_ghosts(groups.linkage.ghosts, len(system))
    neighbours = _neighbours(groups)
    alone = replace(system, never_meeting=frozenset(together | still))
    near = [pair for pair in alone.pairs(_TOUCHING) if pair[1] != FIXED or pair in neighbours]
    excepted = _overlapping(alone, near, neighbours)
    return frozenset(together | still | excepted), excepted


def _of_ghosts(ghosts: frozenset[int], count: int) -> set[Pair]:
    """Return the pairs of parts that nothing touches, with all of so many parts and with the world."""
    pairs = {(min(a, b), max(a, b)) for a in ghosts for b in range(count) if a != b}
    return pairs | {(a, FIXED) for a in ghosts}


def overlaps_world(system: ContactSystem) -> list[int]:
    """Return the parts that overlap the world by more than rounding."""
    parts = [part for part, other in system.pairs(0.0) if other == FIXED]
    crossing = {part for part in parts if _cross(system, (part, FIXED))}
    every = [(part, FIXED) for part in range(len(system)) if part not in crossing]
    clear = [pair[0] for pair in every if system.moves(pair) and pair not in system.never_meeting]
    return sorted({*crossing, *_nested(system, clear)})


def _nested(system: ContactSystem, parts: list[int]) -> set[int]:
    """Return those parts, clear of the surfaces of the world, that are inside a fixed solid or around one.

    One point of a body tells: all of it is on the same side of a surface that it does not cross.
    """
    if not parts or not system.parts:
        return set()
    points = np.array(
        [system.poses[i].points(system.bodies[i].body.triangles[0].mean(axis=0)) for i in parts]
    )
    found: set[int] = set()
    for solid in system.parts:
        found |= {parts[row] for row in np.flatnonzero(inside_solid(solid, points)).tolist()}
    others = np.array([solid.triangles[0].mean(axis=0) for solid in system.parts])
    for i in parts:
        if inside_solid(system.bodies[i].body, system.poses[i].inverse().points(others)).any():
            found.add(i)
    return found


def overlapping_parts(system: ContactSystem) -> frozenset[Pair]:
    """Return the pairs of parts that overlap by more than rounding."""
    pairs = [pair for pair in system.pairs(0.0) if pair[1] != FIXED]
    return _overlapping(system, pairs, set())


def world_bodies_at(system: ContactSystem, part: int) -> list[str]:
    """Return the names of the fixed bodies that a part overlaps."""
    body, pose = system.bodies[part].body, system.poses[part]
    alone = [(each, ContactSystem.of([body], [pose], [each])) for each in system.parts]
    return [each.name for each, pair in alone if _overlap(pair, (0, FIXED))]


def _overlapping(system: ContactSystem, pairs: list[Pair], neighbours: set[Pair]) -> frozenset[Pair]:
    """Return the pairs whose bodies overlap, and those of neighbours that touch."""
    near = np.array([_TOUCHING * system.body_pair(pair).radius for pair in pairs])
    apart = system.clearances(pairs, 2.0 * near)
    touch = {pair for pair, touches in zip(pairs, apart <= near, strict=True) if touches} & neighbours
    return frozenset(touch | {pair for pair in pairs if pair not in touch and _overlap(system, pair)})


def _overlap(system: ContactSystem, pair: Pair) -> bool:
    """Return whether the bodies of a pair overlap."""
    return _cross(system, pair) or contained(system.body_pair(pair), system.solids(pair))


def _cross(system: ContactSystem, pair: Pair) -> bool:
    """Return whether triangles of a pair cut through each other by more than rounding."""
    body_pair = system.body_pair(pair)
    return bool((triangle_overlaps(body_pair, curved=True).depth > _DEPTH * body_pair.radius).any())


def _neighbours(groups: RigidGroups) -> set[Pair]:
    """Return the pairs of parts whose rigid groups a joint or a constraint connects."""
    linkage, part_group = groups.linkage, groups.part_group
    ends: Sequence[tuple[int, int]] = [
        *((joint.anchors.first, joint.anchors.second) for joint in linkage.joints),
        *((each.first, each.second) for each in linkage.constraints),
    ]
    joined = {(int(part_group[a]), int(part_group[b])) for a, b in ends if a != FIXED and b != FIXED}
    world = {(max(a, b), FIXED) for a, b in ends if FIXED in (a, b)}
    number = part_group.tolist()
    pairs = {(a, b) for a in range(len(number)) for b in range(a + 1, len(number))}
    either = joined | {(b, a) for a, b in joined}
    return world | {(a, b) for a, b in pairs if (number[a], number[b]) in either}
