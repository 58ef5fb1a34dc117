"""Given motions: bodies that follow a track in time whatever they meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ...errors import PhysPlaceError
from ...rigid import Pose, quaternion_conjugate, quaternion_exponential, quaternion_product, rotation_vector


class TrackError(PhysPlaceError):
    """A track that is none."""


@dataclass(frozen=True, eq=False)
class Track:
    """The motion of one body that is given by its poses at n times, one or more.

    Between two of them it shifts and turns evenly; before the first and after the last it stands still.

    times (n,): seconds, increasing.  poses: of the body's own frame in the scene.
    """

    times: Floats
    poses: tuple[Pose, ...]

    @classmethod
    def of(cls, times: Sequence[float], poses: Sequence[Pose]) -> Track:
        """Return a track.  Raises TrackError unless there is a pose for each time, and times increase."""
        at = np.asarray(times, dtype=np.float64)
        if len(at) == 0 or len(at) != len(poses) or not (np.diff(at) > 0.0).all():
            raise TrackError(f"a track needs a pose for each of its times, which increase; found {times}")
        return cls(at, tuple(poses))

    def seen_from(self, origin: Floats) -> Track:
        """Return the track in coordinates with another origin (3,)."""
        poses = [Pose(pose.rotation, pose.translation - origin) for pose in self.poses]
        return Track(self.times, tuple(poses))

    @property
    def still_from(self) -> float:
        """The time, s, from which on it stands still."""
        last = self.poses[-1]
        for number in range(len(self.poses) - 1, 0, -1):
            if not _alike(self.poses[number - 1], last):
                return float(self.times[number])
        return float(self.times[0])

    def pose(self, time: float) -> Pose:
        """Return the pose at a time, s."""
        after = int(np.searchsorted(self.times, time, side="right"))
        if after == 0 or after == len(self.times):
            return self.poses[min(after, len(self.times) - 1)]
        first, second = self.poses[after - 1], self.poses[after]
        share = (time - self.times[after - 1]) / (self.times[after] - self.times[after - 1])
        turn = rotation_vector(quaternion_product(second.rotation, quaternion_conjugate(first.rotation)))
        rotation = quaternion_product(quaternion_exponential(share * turn), first.rotation)
        return Pose(rotation, first.translation + share * (second.translation - first.translation))


def _alike(first: Pose, second: Pose) -> bool:
    return np.array_equal(first.rotation, second.rotation) and np.array_equal(
        first.translation, second.translation
    )
