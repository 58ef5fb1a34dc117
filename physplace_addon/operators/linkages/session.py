# SPDX-License-Identifier: GPL-3.0-or-later
"""The interactive session of a linkage that is dragged: its pins, what is grabbed, and what follows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Final, Protocol

import numpy as np
from bpy.types import Context

from ...core.arrays import Floats
from ...core.articulation import AnyGoal, FigureGoal, Goal, LinkageDrag, LinkageStatus
from ...core.contact.system import FIXED
from ...core.jobs import Job, Progress
from ...core.rigid import Pose
from ...core.wording import counted, listed
from ...overlay.linkages import LinkageMarks
from ...scene.linkages.known_poses import rest_around
from ...scene.linkages.linkages import FoundLinkage
from ...scene.linkages.pins import Pin, PinKind, read_pins, write_pins
from ...scene.linkages.posing import LinkagePose
from ...scene.linkages.preparation import PreparedLinkage, moved, nearest_part
from ...scene.linkages.reading import LinkageScenario, reading_around
from ...scene.reading.nearness import Travel
from ..common import Conclusion
from ..session import InteractiveSession, Pacing, one_line
from ..view import View, nearest_pixel, object_under

SETTLING: Final = 1.0  # seconds after its release in which a figure may still move
UNSEEN: Final = 1e-6  # motion of a part in a tick, over the figure's size, that nobody sees
_PIXELS: Final = 14.0  # distance from a pin at which the mouse takes it
_UNTURNED: Final = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Grabbed:
    """A point that the mouse holds.

    part: its number. point (3,): in the part's frame. taken, begun, target (3,): in the world, where it was
    when it was grabbed, where it was when the solver began, from where a motion of the whole linkage counts,
    and where it is to go.
    """

    part: int
    point: Floats
    taken: Floats
    begun: Floats
    target: Floats


class Solver(Protocol):
    """A solver of a linkage, as far as its end is reported."""

    @property
    def status(self) -> LinkageStatus:
        """Running, or how it ended."""

    @property
    def explanation(self) -> str:
        """The status as a sentence."""


class LinkageSession(InteractiveSession):
    """A linkage under the artist's eyes.

    grabbed: what the mouse holds; None for nothing. pins: what stays. moves_whole: whether the whole linkage
    follows the mouse.
    """

    def __init__(self, preview: LinkagePose, prepared: PreparedLinkage) -> None:
        self._preview, self._prepared = preview, prepared
        self._state = prepared.scene.start
        self.grabbed: Grabbed | None = None
        self.pins: dict[int, Pin] = {pin.part: pin for pin in read_pins(prepared.scenario.found)}
        self._held: dict[int, Pose] = {part: self.poses[part] for part in self.pins}  # as they were pinned
        self.moves_whole = False
        self.message = ""
        self._solver: LinkageDrag | None = None
        self._last_pin: int | None = None
        self._pacing = Pacing()
        self._moved = np.inf  # in the last tick, over the figure's size

    @classmethod
    def beginning(cls, context: Context, scenario: LinkageScenario) -> Job[LinkageSession]:
        """Prepare, in slices, the linkage that was read. Raises PhysPlaceError, with nothing changed."""
        preview = LinkagePose(scenario.found)
        preview.check_writable(context)
        yield Progress("Preparing the figure")
        rest = rest_around(scenario.found)
        prepared = yield from PreparedLinkage.preparing(scenario, scenario.found.poses, rest)
        return cls(preview, prepared)

    @property
    def found(self) -> FoundLinkage:
        """The linkage as it was read."""
        return self._prepared.scenario.found

    @property
    def names(self) -> frozenset[str]:
        """The full names of the objects of the figure, as they were when it was read."""
        return self.found.families

    @property
    def poses(self) -> tuple[Pose, ...]:
        """The poses of its parts in the world."""
        return self._prepared.poses(self._state)

    # what time does

    def tick(self, seconds: float) -> bool:
        """Work for so many seconds; return whether there is anything new to show."""
        before = self._state
        self._pacing.work(lambda: not self.has_to_read() and self.step(), seconds, overruns=False)
        return self._state is not before

    def step(self) -> bool:
        """Make one tick of the drag; return whether anything was left to do."""
        if self._solver is None or not self._solver.status.is_running:
            return False
        before, self._state = self._state, self._solver.step()
        self._moved = self._prepared.scene.farthest_move(before, self._state)
        return True

    @property
    def is_still(self) -> bool:
        """Whether it has got where the goals lead it, as far as anybody sees."""
        ended = self._solver is None or not self._solver.status.is_running
        return ended or self._moved <= UNSEEN

    def has_to_read(self) -> bool:
        """Return whether the linkage may come near something that is not read."""
        return self._prepared.scenario.misses(self.poses, self._travels())

    def reading(self, context: Context) -> Job[None]:
        """Read, in slices, what is near now, and go on with it."""
        always = frozenset(self._prepared.scenario.world.owners)
        poses = self.poses
        scenario = yield from reading_around(context, self.found, poses, self._travels(), always)
        self._prepared = yield from PreparedLinkage.preparing(scenario, poses, rest_around(self.found))
        self._state = self._prepared.scene.start
        self._begin()

    def _travels(self) -> list[Travel]:
        if self.grabbed is None:
            return []
        shift = self.grabbed.target - self.poses[self.grabbed.part].points(self.grabbed.point)
        far = float(np.linalg.norm(shift))
        return [Travel(shift / far, far)] if far > 0.0 else []

    # what the mouse does

    def part_under(self, context: Context, view: View, mouse: Floats) -> tuple[int, Floats] | None:
        """Return the part that a pixel (2,) shows, and its point (3,) in the world; None for none."""
        seen = object_under(context, view, mouse)
        numbers = [] if seen is None else self.found.part_shown_by(seen[0])
        if seen is None or not numbers:
            return None
        return nearest_part(self.found, self.poses, numbers, seen[1]), seen[1]

    def grab(self, part: int, place: Floats) -> None:
        """Grab a part at a place (3,) in the world."""
        self.grabbed = Grabbed(part, self.poses[part].inverse().points(place), place, place, place)
        self._begin()

    def follow(self, target: Floats) -> None:
        """Lead what is grabbed to a place (3,) in the world."""
        if self.grabbed is not None and self._solver is not None:
            self.grabbed, self._moved = replace(self.grabbed, target=target), np.inf
            self._solver.move_to(self._goals())

    def toggle_whole(self) -> None:
        """Move the whole linkage, or no more; what is grabbed goes on from where it is."""
        self.moves_whole = not self.moves_whole
        if self.grabbed is not None:
            self._begin()

    def toggle_pin(self, part: int, place: Floats) -> None:
        """Pin a part at a place (3,) in the world, or release its pin."""
        if part in self.pins:
            self._set_pin(part, None)
        else:
            point = self.poses[part].inverse().points(place)
            self._set_pin(part, Pin(part, PinKind.POINT, point))

    def release_pin(self, part: int) -> None:
        """Release the pin of a part."""
        self._set_pin(part, None)

    def cycle_pin(self, part: int | None = None) -> None:
        """Make a pin, else the last one, the next kind: of a point, of the whole part, none."""
        chosen = self._last_pin if part is None else part
        if chosen is not None and chosen in self.pins:
            self._set_pin(chosen, self.pins[chosen].cycled())

    def pin_under(self, view: View, mouse: Floats) -> int | None:
        """Return the part whose pin is under a pixel (2,); None for none."""
        parts = list(self.pins)
        places = np.array([self._place_of(self.pins[each]) for each in parts]).reshape(-1, 3)
        nearest = nearest_pixel(places, view, mouse, _PIXELS)
        return None if nearest is None else parts[nearest]

    def _set_pin(self, part: int, pin: Pin | None) -> None:
        if pin is None:
            del self.pins[part], self._held[part]
            self._last_pin = next(reversed(self.pins), None)
        else:
            self.pins[part], self._held[part], self._last_pin = pin, self.poses[part], part
        if self._solver is not None:
            self._begin()

    def _goal(self, pin: Pin) -> Goal:
        """Return the goal that keeps a pin where it was set."""
        held = moved(self._held[pin.part], -self._prepared.origin)
        return pin.goal(held)

    def _begin(self) -> None:
        """Follow the goals of now from the pose of now."""
        self._moved = np.inf
        if self.grabbed is not None:
            place = self.poses[self.grabbed.part].points(self.grabbed.point)
            self.grabbed = replace(self.grabbed, begun=place)
        self._solver = LinkageDrag(self._prepared.scene, self._state, self._goals())

    def _goals(self) -> list[AnyGoal]:
        goals: list[AnyGoal] = [self._goal(pin) for pin in self.pins.values()]
        grabbed = self.grabbed
        if grabbed is None:
            return goals
        if self.moves_whole:
            return [FigureGoal(Pose(_UNTURNED, grabbed.target - grabbed.begun)), *goals]
        return [self._prepared.point_goal(grabbed.part, grabbed.point, grabbed.target), *goals]

    # what is shown

    def show(self, context: Context) -> None:
        """Show the linkage in its pose."""
        self._preview.show(context, self.poses)

    def marks(self) -> LinkageMarks:
        """Return what is drawn."""
        by_kind: dict[PinKind, list[Floats]] = {kind: [] for kind in PinKind}
        for pin in self.pins.values():
            by_kind[pin.kind].append(self._place_of(pin))
        grabbed = []
        if self.grabbed is not None:
            place = self.poses[self.grabbed.part].points(self.grabbed.point)
            grabbed.append([place, self.grabbed.target])
        return LinkageMarks(
            self._joint_places(),
            np.array(by_kind[PinKind.POINT]).reshape(-1, 3),
            np.array(by_kind[PinKind.PART]).reshape(-1, 3),
            np.array(grabbed).reshape(-1, 2, 3),
            self._contact_places(),
            self._prepared.scenario.around.balls[0].radius,
        )

    def _place_of(self, pin: Pin) -> Floats:
        return self.poses[pin.part].points(pin.point)

    def _joint_places(self) -> Floats:
        places, poses = [], self.poses
        for read in self.found.joints:
            anchors = read.joint.anchors
            if anchors.second != FIXED:
                places.append(poses[anchors.second].compose(anchors.frame2).translation)
        return np.array(places).reshape(-1, 3)

    def _contact_places(self) -> Floats:
        return self._state.contacts.point1 + self._prepared.origin

    @property
    def is_undisturbed(self) -> bool:
        """Whether all objects and bones are as they are shown."""
        return self._preview.is_undisturbed

    def show_again(self, context: Context) -> None:
        """Show the pose again, after it was put back."""
        self.show(context)

    def put_back(self, context: Context) -> None:
        """Put everything back to where it was."""
        self._preview.restore(context)

    def settling(self, context: Context) -> Job[None]:
        """Go on, in slices, until nothing moves any more that can be seen, for a moment at most; what the
        linkage comes near is read.
        """
        worked = 0.0
        while worked < SETTLING:
            if self.has_to_read():
                yield from self.reading(context)
            begin = perf_counter()
            if not self.step():
                return
            if self.is_still and self._solver is not None:
                self._solver.stop()
                return
            worked += perf_counter() - begin
            yield Progress("Coming to rest", worked / SETTLING)
        if self._solver is not None:
            self._solver.stop(moves=True)

    def write(self, context: Context) -> Conclusion:
        """Leave the linkage in its pose, with its pins. Raises SceneError, with everything put back."""
        count = self._preview.write(context, self.poses)
        write_pins(self.found, list(self.pins.values()))
        if self._solver is None:
            return Conclusion(True, f'"{self.found.objects[0].name}": {counted(len(self.pins), "pin")}')
        return conclusion(self._prepared, count, self._solver)

    # what the header says

    @property
    def explanation(self) -> str:
        """How the drag stands, in words."""
        if self._solver is None:
            return ""
        return self._solver.explanation

    def figures(self) -> str:
        """Return how the drag stands, in one line."""
        if self.message:
            return self.message
        name = self.found.objects[0].name
        parts = [f'"{name}": {counted(len(self.found.parts), "part")}']
        if self.grabbed is not None:
            what = "everything" if self.moves_whole else f'"{self.found.parts[self.grabbed.part].name}"'
            parts.append(f"drags {what}")
            parts.append(self.explanation)
        parts.append(counted(len(self._state.contacts), "contact"))
        parts += [counted(len(self.pins), "pin")] if self.pins else []
        notes = self._prepared.notes
        parts += [f"left out of account: {listed(notes)}"] if notes else []
        return one_line(parts)


def conclusion(prepared: PreparedLinkage, moved: int, solver: Solver) -> Conclusion:
    """Return how posing a linkage has ended."""
    name, notes = prepared.scenario.found.objects[0].name, prepared.notes
    texts = [f'"{name}": {counted(moved, "part")} moved', solver.explanation]
    texts += [f"left out of account: {listed(notes)}"] if notes else []
    return Conclusion(solver.status is LinkageStatus.REACHED, "; ".join(texts))
