# SPDX-License-Identifier: GPL-3.0-or-later
"""From where the hand let objects go, kept so that Adjust Last Operation can go there again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.types import Object

from ...core.placement import Connection
from ...core.rigid import Pose
from ...scene.errors import SceneError
from ...scene.rotations import floats_of, pose_of

if TYPE_CHECKING:
    from .item import Go


@dataclass(frozen=True, eq=False)
class Way:
    """The objects of one placement, the poses they were let go at, their ties, and whether they ran on."""

    names: tuple[str, ...]
    poses: tuple[Pose, ...]
    ties: tuple[Connection, ...]
    goes_on: bool

    @classmethod
    def of(cls, go: Go) -> Way:
        """What was done last in a placement that is shown where it shall stay."""
        placing = go.placing
        goes_on = placing.is_last and placing.shown > placing.began
        return cls(
            tuple(subject.name for subject in go.subjects),
            placing.solver.states[placing.began if goes_on else placing.shown].poses,
            tuple(go.ties),
            goes_on,
        )

    def movers(self) -> list[Object]:
        """The objects. Raises SceneError for one that is gone."""
        for name in self.names:
            if name not in bpy.data.objects:
                raise SceneError(name, "it is not there any more", "place again")
        return [bpy.data.objects[name] for name in self.names]


def write_ways(ways: Sequence[Way]) -> str:
    """Ways as text."""
    return json.dumps(
        [
            {
                "names": way.names,
                "poses": [floats_of(pose) for pose in way.poses],
                "ties": [[*tie.point.tolist(), *tie.target.tolist(), tie.body] for tie in way.ties],
                "goes_on": way.goes_on,
            }
            for way in ways
        ]
    )


def read_ways(text: str) -> list[Way]:
    """The ways that a text tells."""
    return [
        Way(
            tuple(each["names"]),
            tuple(pose_of(pose) for pose in each["poses"]),
            tuple(Connection(np.array(tie[:3]), np.array(tie[3:6]), body=tie[6]) for tie in each["ties"]),
            each["goes_on"],
        )
        for each in (json.loads(text) if text else ())
    ]
