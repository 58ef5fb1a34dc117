"""Profiles joined smoothly end to end, for exact bodies that artists do not name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from physplace_addon.core.arrays import Bools, Floats
from physplace_addon.core.surfaces.curves.profiles import Profile, ProfilePoint
from physplace_addon.core.surfaces.geometry import Interval


@dataclass(frozen=True, eq=False)
class JoinedProfile(Profile):
    """Profiles of any kind joined smoothly end to end; v runs on from each to the next."""

    parts: tuple[Profile, ...]
    periodic: bool = False

    @cached_property
    def offsets(self) -> Floats:
        """Parameters (parts + 1,) where the parts meet."""
        return np.concatenate([[0.0], np.cumsum([part.domain.length for part in self.parts])])

    @property
    def domain(self) -> Interval:
        """From 0 to the sum of the parts' ranges."""
        return Interval(0.0, float(self.offsets[-1]), self.periodic)

    @property
    def breaks(self) -> Floats:
        """All joints, those inside the parts included."""
        inner = [part.breaks[:-1] - part.domain.lower + offset for part, offset in self._placed()]
        return np.concatenate([*inner, self.offsets[-1:]])

    def evaluate(self, v: Floats) -> ProfilePoint:
        """Return the point and its derivatives by v."""
        values = np.empty((6, len(v)))
        for part, chosen, own in self._split(v):
            p = part.evaluate(own)
            values[:, chosen] = (p.r, p.z, p.r1, p.z1, p.r2, p.z2)
        return ProfilePoint(*values)

    def chord_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return each part's own bounds."""
        bounds = np.empty(len(lower))
        for part, chosen, own in self._split(0.5 * (lower + upper)):
            half = 0.5 * (upper - lower)[chosen]
            bounds[chosen] = part.chord_bounds(own - half, own + half)
        return bounds

    def _placed(self) -> list[tuple[Profile, float]]:
        return list(zip(self.parts, self.offsets.tolist(), strict=False))

    def _split(self, v: Floats) -> list[tuple[Profile, Bools, Floats]]:
        """Return parameters grouped by part, with the parts' own parameters."""
        index = np.searchsorted(self.offsets[1:-1], v, side="right")
        groups = []
        for i, (part, offset) in enumerate(self._placed()):
            chosen = index == i
            if chosen.any():
                groups.append((part, chosen, part.domain.contain(v[chosen] - offset + part.domain.lower)))
        return groups


def join_profiles(parts: Sequence[Profile], periodic: bool = False) -> Profile:
    """Return one smooth profile from parts that meet end to end with the same tangent."""
    single = len(parts) == 1 and parts[0].domain.periodic == periodic
    return parts[0] if single else JoinedProfile(tuple(parts), periodic)
