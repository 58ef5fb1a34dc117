"""Islands of bodies, each placed by itself from where a simulation has left it.

Bodies whose boxes are nearer than twice the farthest that a placement may take them (`FAR`) are an island: so
no two islands can meet on their ways, and all may go at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ..arrays import Ints
from ..contact.system import FIXED, feature_keys
from ..dynamics.events import Touching
from ..dynamics.motion import Motion
from ..dynamics.scene import Scene
from ..mechanics.surface_numbers import features_before, surface_numbers
from ..placement.certificate import Certificate, Status
from ..placement.contact_forces import contact_forces
from ..placement.placement import Placement
from ..placement.settings import Settings
from ..placement.state import State
from ..vectors import length
from .closing import closed_contacts
from .readiness import jointed
from .timed_path import TimedPath, path_lengths

FAR: Final = 0.05  # the farthest, over R, that a point of a body may be taken to its rest
_GAPS: Final = 2.0  # gap, over the one that bodies in contact keep, of contacts that are closed
_STEPS: Final = 100  # of a placement that has not found a rest

PROVEN: Final = (Status.BALANCED, Status.BALANCED_BY_FRICTION)
TOO_FAR = "its rest is too far away"
IN_JOINTS = "it is held by joints, which placement does not know"
UNSTABLE = "the least nudge would end its balance"


def islands_of(scene: Scene, motion: Motion) -> list[Ints]:
    """Return the numbers of the bodies of each island, without those whose motion is given."""
    free = np.flatnonzero(~scene.given)
    lower, upper = (corners[free] for corners in scene.system(motion).boxes)
    apart = np.maximum(lower[:, None] - upper, lower - upper[:, None]).max(axis=2)
    reach = FAR * scene.inertia.radius[free]
    near = sparse.coo_array(apart <= reach[:, None] + reach)
    member = connected_components(near, directed=False)[1]
    return [free[member == number] for number in range(int(member.max(initial=-1)) + 1)]


@dataclass(frozen=True, eq=False)
class ProvenRest:
    """The rest of an island, and the way there.

    bodies (n,): their numbers.
    path: from where the simulation has left them.
    touching: their contacts at rest.
    certificates: one for each body.
    """

    bodies: Ints
    path: TimedPath
    touching: Touching
    certificates: tuple[Certificate, ...]


class IslandPlacement:
    """Places an island, in steps.

    bodies (n,): their numbers.
    refusal: why there is no rest, None as long as it runs or where there is one.
    """

    def __init__(self, scene: Scene, motion: Motion, bodies: Ints, *, at_rest: bool) -> None:
        """Begin from a motion; at_rest: whether the simulation itself has come to rest there."""
        self.bodies = bodies
        self._scene, self._motion, self._at_rest = scene, motion, at_rest
        self._inertia = scene.inertia.take(bodies)
        self._placement: Placement | None = None
        self.refusal: str | None = IN_JOINTS if jointed(scene)[bodies].any() else None

    @property
    def is_running(self) -> bool:
        """Whether a step may still change anything."""
        return self.refusal is None and (self._placement is None or self._placement.status.is_running)

    def step(self) -> None:
        """Begin, or make a step of the placement."""
        if not self.is_running:
            return
        if self._placement is None:
            self._placement = self._begun()
        else:
            self._placement.step()
        self._judge(self._placement)

    def _begun(self) -> Placement:
        scene, poses = self._scene, self._motion.poses(self._scene.inertia)
        given = np.flatnonzero(scene.given)
        standing = [scene.template.bodies[i].body.transformed(poses[i].matrix4) for i in given.tolist()]
        friction = scene.laws.friction
        surfaces = np.concatenate([friction[self.bodies], friction[given], friction[len(scene) :]])
        x, y, z = (scene.gravity / length(scene.gravity[None])[0]).tolist()
        placement = Placement.of_several(
            [scene.template.bodies[i].body for i in self.bodies.tolist()],
            [poses[i] for i in self.bodies.tolist()],
            [*standing, *scene.template.parts],
            Settings(gravity=(x, y, z), surface_friction=tuple(surfaces.tolist()), step_limit=_STEPS),
        )
        if placement.status.is_running:
            closed = closed_contacts(placement.problem, placement.state, _GAPS * scene.hold)
            if closed is not None:
                placement.go_on_from(closed)
        return placement

    def _judge(self, placement: Placement) -> None:
        status = placement.status
        start, now = (self._motion_of(state) for state in (placement.states[0], placement.state))
        if (path_lengths(self._inertia, start, now) > FAR * self._inertia.radius).any():
            self.refusal = TOO_FAR
        elif not status.is_running and status not in PROVEN:
            self.refusal = status.message
        elif status in PROVEN and not self._at_rest and not placement.certificate().stable:
            self.refusal = UNSTABLE

    def rest(self) -> ProvenRest | None:
        """Return the rest that was found, if there is one."""
        placement = self._placement
        if self.refusal is not None or placement is None or placement.status not in PROVEN:
            return None
        states = [self._motion_of(state) for state in placement.states]
        path = TimedPath.through(self._inertia, states)
        return ProvenRest(self.bodies, path, self._touching(placement), tuple(placement.certificates()))

    def _motion_of(self, state: State) -> Motion:
        still = np.zeros((len(self.bodies), 3))
        return Motion.of(self._inertia, state.poses, still, still)

    def _touching(self, placement: Placement) -> Touching:
        """Return the contacts at rest, with the scene's numbers of bodies and features.

        The placement knows what has a given motion as the first bodies of its world, the features of which
        are numbered body after body; in the scene these are bodies like others, and the lesser number of a
        pair is first.
        """
        found, system = contact_forces(placement.problem, placement.state), placement.state.system
        given = np.flatnonzero(self._scene.given)
        numbers = np.concatenate([self.bodies, given, [FIXED]])
        keys, (first, second) = feature_keys(found.points), surface_numbers(system, found.points)
        ahead = np.clip(second - len(self.bodies), 0, len(given))
        keys[:, 5] -= features_before(system.parts[: len(given)], keys[:, 4], ahead)
        keys[:, 0], keys[:, 1] = numbers[first], numbers[np.minimum(second, len(numbers) - 1)]
        turned = (keys[:, 1] != FIXED) & (keys[:, 1] < keys[:, 0])
        keys[turned] = keys[turned][:, [1, 0, 4, 5, 2, 3]]
        world = placement.state.points.take(found.rows)
        slip = np.zeros(len(world))
        return Touching(keys, world.point1, np.ones(len(world), bool), slip)
