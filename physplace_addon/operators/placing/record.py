# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of placements as text, from which Adjust Last Operation can repeat what the artist did."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.types import Object

from ...core.contact.system import BilateralContacts
from ...core.errors import PlacementError
from ...core.placement import Connection
from ...core.rigid import Pose
from ...scene.errors import SceneError
from ...scene.rotations import floats_of, pose_of

if TYPE_CHECKING:
    from .item import PlacementItem


@dataclass(frozen=True, eq=False)
class PlacementRecord:
    """One placement: the names of its objects, the poses that they were released at, and what acted on them.

    poses: none where they were left to fall from where they stood. ties: what draws points to places.
    bilateral: the contacts that stick. goes_on: whether the placement ran on by itself from those poses.
    """

    names: tuple[str, ...]
    poses: tuple[Pose, ...]
    ties: tuple[Connection, ...]
    bilateral: BilateralContacts
    goes_on: bool

    @classmethod
    def of(cls, item: PlacementItem) -> PlacementRecord:
        """Return the record of a placement that is shown where its objects shall stay."""
        history = item.steered.history
        goes_on = history.is_latest and history.shown > history.began
        number = history.began if goes_on else history.shown
        state = history.states[number]
        return cls(
            tuple(subject.object.name for subject in item.subjects),
            () if item.is_from_place and number == 0 else state.poses,
            tuple(item.ties),
            state.bilateral,
            goes_on,
        )

    def movers(self) -> list[Object]:
        """Return the objects. Raises SceneError for one that does not exist any more."""
        for name in self.names:
            if name not in bpy.data.objects:
                raise SceneError(name, "it is not there any more", "place again")
        return [bpy.data.objects[name] for name in self.names]


def records_for(movers: Sequence[Object], records: Sequence[PlacementRecord]) -> list[PlacementRecord]:
    """Return the records that say how so many objects are moved at once, one alone or several; none if they
    are of the other way to place: then all begin from where they stand.
    """
    were_together = any(len(record.names) > 1 for record in records)
    return list(records) if were_together == (len(movers) > 1) else []


def write_records(records: Sequence[PlacementRecord]) -> str:
    """Return records as text."""
    return json.dumps(
        [
            {
                "names": record.names,
                "poses": [floats_of(pose) for pose in record.poses],
                "ties": [[*tie.point.tolist(), *tie.target.tolist(), tie.body] for tie in record.ties],
                "bilateral": [record.bilateral.keys.tolist(), record.bilateral.normals.tolist()],
                "goes_on": record.goes_on,
            }
            for record in records
        ]
    )


def read_records(text: str) -> list[PlacementRecord]:
    """Return the records that `write_records` wrote; none from an empty text.

    Raises PlacementError for a text that it did not write.
    """
    try:
        return [_record(**each) for each in (json.loads(text) if text else ())]
    except (ValueError, TypeError, LookupError):
        raise PlacementError("Ways holds no records of placements: leave it empty") from None


def _record(
    names: list[str], poses: list[list[float]], ties: list[list[float]], bilateral: Any, goes_on: bool
) -> PlacementRecord:
    keys, normals = bilateral
    return PlacementRecord(
        tuple(names),
        tuple(pose_of(pose) for pose in poses),
        tuple(Connection(np.array(tie[:3]), np.array(tie[3:6]), body=int(tie[6])) for tie in ties),
        BilateralContacts(
            np.array(keys, dtype=np.intp).reshape(-1, 4), np.array(normals, dtype=np.float64).reshape(-1, 3)
        ),
        goes_on,
    )
