# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact regions between objects, stored on the scene as the custom property `physplace_regions`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypedDict, cast

from bpy.types import Scene

from ...core.arrays import Floats
from ...core.contact.system import ContactRegions
from ...core.wording import counted
from ..access import custom_properties, plain_value
from ..units import length_text

REGIONS: Final = "physplace_regions"
SHAPES: Final = ("point", "line", "face")  # the words for regions of 0, 1 and 2 dimensions


class Region(TypedDict):
    """A region as it is stored; see the manual's page on the report."""

    label: int
    object_1: str
    object_2: str
    dimension: int
    entity_1: str
    entity_2: str
    normal: list[float]
    points: list[float]
    gaps: list[float]
    penetration: bool


class Penetration(TypedDict):
    """Two objects that overlap, as they are stored."""

    object_1: str
    object_2: str
    depth: float
    points: list[float]


class RegionReport(TypedDict):
    """All that is stored."""

    count: int
    regions: list[Region]
    penetrations: list[Penetration]
    notes: list[str]


_KEYS: Final = frozenset(RegionReport.__annotations__)


@dataclass(frozen=True, eq=False)
class PairContact:
    """The contact of two objects.

    Attributes:
        first, second: the objects' names.
        regions: the regions of contact, in the world; body 1 is the first object's.
        depth: how deep they overlap, in scene units; 0 where they do not, inf where one is inside the other.
        places: (c, 3), where they overlap, in the world.
    """

    first: str
    second: str
    regions: ContactRegions
    depth: float
    places: Floats

    @property
    def penetrates(self) -> bool:
        """Whether the objects overlap."""
        return len(self.places) > 0


def region_report(pairs: Sequence[PairContact], notes: Sequence[str] = ()) -> RegionReport:
    """Return what is stored of the contact of pairs of objects; notes: what else is to be said."""
    regions = [region for pair in pairs for region in _regions(pair)]
    penetrations = [_penetration(pair) for pair in pairs if pair.penetrates]
    return RegionReport(count=len(regions), regions=regions, penetrations=penetrations, notes=list(notes))


def _regions(pair: PairContact) -> list[Region]:
    found = pair.regions
    entities = found.rows.entities
    first = _named(entities.dim1.tolist(), entities.index1.tolist())
    second = _named(entities.dim2.tolist(), entities.index2.tolist())
    gaps = found.gaps
    parts = [slice(begin, end) for begin, end in pairwise(found.point_start.tolist())]
    return [
        Region(
            label=int(found.rows.label[number]),
            object_1=pair.first,
            object_2=pair.second,
            dimension=int(found.dimension[number]),
            entity_1=first[number],
            entity_2=second[number],
            normal=found.normal[number].tolist(),
            points=found.points.point1[part].ravel().tolist(),
            gaps=gaps[part].tolist(),
            penetration=pair.penetrates,
        )
        for number, part in enumerate(parts)
    ]


def _named(dimension: Sequence[int], index: Sequence[int]) -> list[str]:
    kinds = ("vertex", "edge", "face")
    return [f"{kinds[dim]} {number}" for dim, number in zip(dimension, index, strict=True)]


def _penetration(pair: PairContact) -> Penetration:
    return Penetration(
        object_1=pair.first, object_2=pair.second, depth=pair.depth, points=pair.places.ravel().tolist()
    )


def write_regions(scene: Scene, report: RegionReport) -> None:
    """Store a report on a scene, in place of the last one."""
    scene[REGIONS] = report


def remove_regions(scene: Scene) -> None:
    """Remove the report from a scene that has one."""
    if REGIONS in custom_properties(scene):
        del scene[REGIONS]


def last_regions(scene: Scene) -> RegionReport | None:
    """Return the report that a scene carries; None if it has none, or one that is not PhysPlace's."""
    stored = plain_value(custom_properties(scene).get(REGIONS))
    if not isinstance(stored, dict) or not _KEYS.issubset(stored) or isinstance(stored["notes"], str):
        return None
    return cast("RegionReport", stored)


def shapes_in_words(report: RegionReport) -> str:
    """Return how many regions there are of each dimension: "3 regions: 1 point, 1 line, 1 face"."""
    dimensions = [region["dimension"] for region in report["regions"]]
    shapes = [counted(dimensions.count(i), shape) for i, shape in enumerate(SHAPES) if i in dimensions]
    return f"{counted(report['count'], 'region')}: {', '.join(shapes)}" if shapes else "no contact"


def overlaps_in_words(scene: Scene, report: RegionReport) -> list[str]:
    """Return a clause for each two objects that overlap, with lengths in the scene's units."""
    return [
        f'"{one["object_1"]}" and "{one["object_2"]}" {_depth(scene, one["depth"])}'
        for one in report["penetrations"]
    ]


def _depth(scene: Scene, depth: float) -> str:
    is_inside = depth == float("inf")
    return "are one inside the other" if is_inside else f"overlap by {length_text(depth, scene)}"
