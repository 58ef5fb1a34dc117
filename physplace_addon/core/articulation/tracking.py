"""One tick of a linkage that follows its goals: Newton's method, limits, and how far it may go at once.

A tick begins at a valid configuration q_s.  It solves for the least motion (`least_motion`) with goals moved
only a share s of what is left of them, and held back to q_s by an anchor of strength 1/s - 1: without
constraints and goals that gives the share s of the motion.  s starts at what keeps goals from being moved
farther than a tick may, and at what the tick before could be; twice that if it was not cut.  s gets smaller
where the solution moves too far, where joints do not close, or where something is in the way.  So long goals
are subdivided (Choi and Cremer 1999, section 5), and what snaps by itself, as a straight arm that bends,
moves at no more than this speed.

The reference of least motion is the configuration where the figure was grabbed, not that of the tick before:
the pose then is a function of the goals alone, as long as contacts do not change, and out and back returns.
With the tick before as the reference, each tick would add an error of second order.

Limits of joints are gaps >= 0.  A joint that is beyond its limit where it was grabbed goes no farther, and
what it has come back it does not go out again.  A solution that leaves a limit passed has not ended: from
tick to tick such errors would add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Floats
from .configuration import Configuration, carried, twists_between
from .contact.obstacles import Clearances, Limits, ValidT
from .equations import Equations
from .goals import AnyGoal, FigureGoal, Goal
from .least_motion import Anchor, Iterate, newton_step, saddle_twists
from .rows import Rows
from .state import Solution, Tick

_ROUNDS = 25  # steps of Newton's method in a solution, after which it has failed
_PATIENCE = 8  # steps after which it has failed where it still wanders
_HASTE = 4  # steps after which joints alone are closed, in a tick that others follow, where it is that near
_WANDERS = 0.05  # length of a step that wanders, over what a point may move in a tick
_STRAYS = 30.0  # length of a step, not the first, over one that wanders, after which it has failed at once
_CLOSED = 1e-9  # error of a joint, over L, that is closed
_CLOSED_FOR_NOW = 1e-7  # the same in a tick that another one follows
_NEARLY_CLOSED = 2e-7  # the same of a solution that is taken where rounding allows no better
_PASSED = 1e-6  # how far beyond a limit, over L or in radians, a joint may end a tick
_SLOWLY = 0.5  # error of joints after a step, over that before, that falls slowly
_SOFTER, _LEAST_SOFTNESS = 0.1, 1e-3  # by how much rows are stiffened then, and how far
_MET, _ALL_BUT_MET = 1e-10, 1e-5  # error of goals, over L or in radians, between which theirs are
_FIRMEST = 0.011  # of theirs, over that of the equations, that is stiffened no more
_ENOUGH = 1e-5  # length of Newton's last step, over L, where joints alone are closed
_LOOSELY = 1e-3  # the same of a solution that is taken in any case: the next tick goes on from it
_STUCK = 1e-6  # motion of a solution, over L, that is none
_LESS = 0.999  # of the cost of a motion, below which another one is less
_KICK = 0.05  # length, over L, by which a figure that is stuck in a straight line is bent
_LEAST_SHARE = 1e-4  # of what is left of the goals, below which a tick gives up
_SHORTER, _SAFELY = 0.35, 0.9  # by how much s falls after a failure; and of what a length asks for
_AGAIN = 2  # times that a tick is tried with more gaps before it is made shorter
_ATTEMPTS = 9  # values of s in a tick
_FARTHEST = 10.0  # way of a goal, over L, that counts in a tick
_COMES_BACK = 0.999  # of what a tick has left of the goals, below which these have come back to the figure
_UNMET = 1e-6  # error of a goal, over L or in radians, that is not met


class Tracking:
    """What follows goals by least motion, from one configuration to the next."""

    def __init__(self, equations: Equations, configuration: Configuration, near: Floats) -> None:
        """Begin where a figure is grabbed.

        Args:
            equations: of the linkage; their goals are replaced by `follow`.
            configuration: the reference.
            near: the joints' coordinates there (j, 6), with whole turns counted.
        """
        self.equations = equations
        self._bare, self._groups = equations.with_goals(()), equations.groups
        self.grabbed = self.reference = configuration
        self.iterate = Iterate.start(configuration, equations)
        self._limits = Limits.at(self._bare, configuration, near)
        self._most = 1.0  # s that the next tick tries at most
        self._left = np.inf  # what it left of the goals, over L or radians
        self.behind = np.inf  # how far goals have moved, over L or radians, that no tick has followed

    @property
    def coordinates(self) -> Floats:
        """The joints' coordinates (j, 6), with whole turns counted."""
        return self._limits.near

    def follow(self, goals: Sequence[AnyGoal]) -> float:
        """Take other goals; return how far they lead from those before, over L or in radians: infinitely far
        if they are others, not the same in other places.
        """
        motions = [goal.motion for goal in goals if isinstance(goal, FigureGoal)]
        mine = [goal for goal in goals if isinstance(goal, Goal)]
        for goal in mine:
            goal.check(len(self._groups.linkage))
        before, self.equations = self.equations, self.equations.with_goals(mine)
        reference, self.reference = self.reference, carried(self.grabbed, motions)
        if self.equations.has_goals_like(before):
            of_figure = self._groups.moved_by(reference, self.reference)
            led = max(self.equations.goals_moved_since(before, self.iterate.configuration), of_figure)
            self.behind += led
            return led
        self.behind = np.inf
        kept = np.zeros(len(self.equations))
        firm = int(np.count_nonzero(before.goal < 0))
        kept[:firm] = self.iterate.multipliers[:firm]
        self.iterate = replace(self.iterate, multipliers=kept)
        return np.inf

    def regrab(self, configuration: Configuration) -> None:
        """Make a configuration the reference."""
        self.grabbed = self.reference = configuration
        nothing = np.zeros(len(self.equations))
        self.iterate = replace(self.iterate, configuration=configuration, multipliers=nothing)

    def tick(
        self,
        start: Configuration,
        clearances: Clearances[ValidT],
        step: float,
        speed: float,
        enough: float,
    ) -> Tick[ValidT]:
        """Return where a tick leads, and go on from there.

        Args:
            start: q_s, a valid configuration.
            clearances: what keeps bodies apart.
            step: a goal is moved no farther, over L or in radians.
            speed: no point moves farther, over L.
            enough: length of a last step of Newton's method, over L.
        """
        at = replace(self.iterate.afresh(), configuration=start, pressing=np.zeros(0))
        rows = self.equations.rows(start)
        left = self.equations.unmet(rows.value)
        of_figure = self._groups.moved_by(self.grabbed, self.reference)
        self.behind = min(self.behind, max(left, of_figure), _FARTHEST)
        if left < _COMES_BACK * self._left:
            self._most = 1.0
        share = longest = min(1.0, self._most, step / self.behind if self.behind > 0.0 else 1.0)
        solution: Solution | None = None
        bent: Solution | None = None
        wanders = np.inf if enough <= _ENOUGH else _WANDERS * speed  # where no tick follows it is let run
        tried = _ATTEMPTS
        near: Solution | None = None  # where Newton's method begins, if not at the start
        for attempt in range(_ATTEMPTS):
            if bent is None:
                solution = self._solution(at, rows, share, clearances, enough, wanders, near)
            else:
                solution = self._part_of_motion(at, bent, share, clearances)
            if attempt == 0 and self._is_stuck(solution, start):
                bent = self._bent(at, rows, solution, share, clearances, enough)
                solution = solution if bent is None else bent
            length, near = self._groups.moved_by(start, solution.iterate.configuration), None
            less = _SHORTER
            if solution.closed and length > speed:
                less = max(_SAFELY * speed / length, 0.05)
            elif solution.closed:
                tried = min(tried, attempt)
                at_rest = share == 1.0 and length <= _LOOSELY and enough <= _ENOUGH
                nearer = self._nearer(at, rows, solution, clearances, speed) if at_rest else None
                valid = clearances.checked(solution.iterate.configuration) if nearer is None else None
                ended = nearer if valid is None else Tick(solution, valid, share, length)
                if ended is not None:
                    return self._arrived(ended, share < longest)
                less = self._less(clearances, attempt - tried)
            share, near = less * share, self._shortened(at, solution, less)
            if share < _LEAST_SHARE:
                break
        assert solution is not None
        return Tick(solution, None, 0.0, 0.0)

    @staticmethod
    def _less(clearances: Clearances[ValidT], times: int) -> float:
        """Return by what s is to fall after a check has failed, not for the first time.

        It is tried again at first with what the check has found.  Where the end obeys that and the way there
        cuts a corner at its share t, by D / 2 of a parabola with 4 t (1 - t), the cut is as the square of s.
        """
        free = clearances.free_share
        if clearances.end_is_forbidden:
            return 1.0 if times < _AGAIN else min(max(_SAFELY * free, 0.05), _SHORTER)
        return min(max(_SAFELY * float(np.sqrt(4.0 * free * (1.0 - free))), 0.05), _SHORTER)

    def _shortened(self, at: Iterate, solution: Solution, share: float) -> Solution | None:
        """Return where Newton's method begins for a share of the motion to a solution: that share of the way,
        with the multipliers of the solution, which pull as hard; None for the start.
        """
        if not solution.closed:
            return None
        if share == 1.0:
            return solution
        there = self._on_way(at.configuration, solution.iterate.configuration, share)
        iterate = replace(solution.iterate, configuration=there)
        return replace(solution, iterate=iterate, rows=self.equations.rows(there))

    def _on_way(self, start: Configuration, end: Configuration, share: float) -> Configuration:
        length = self._groups.length
        return start.moved(share * twists_between(start, end, length), length)

    def _arrived(self, tick: Tick[ValidT], cut: bool) -> Tick[ValidT]:
        """Go on from where a tick leads.  cut: whether it was made shorter: the next share is no greater."""
        self._most = tick.share if cut else 2.0 * tick.share
        self.iterate = tick.solution.iterate
        self.behind *= 1.0 - tick.share
        self._left = self.equations.unmet(tick.solution.rows.value)
        here = self.iterate.configuration
        self._limits = self._limits.moved(here, self.equations.coordinates(here, self.coordinates))
        return tick

    def _solution(
        self,
        at: Iterate,
        rows: Rows,
        share: float,
        clearances: Clearances[ValidT],
        enough: float,
        wanders: float = np.inf,
        near: Solution | None = None,
    ) -> Solution:
        """Return the solution for a share s of the goals that are left, from an iterate with its rows.

        wanders: length of a step, over L, of what will not end.  near: where to begin instead.
        """
        equations = self.equations
        offset = (1.0 - share * self._nearing(rows)) * np.where(equations.goal >= 0, rows.value, 0.0)
        anchor = Anchor(at.configuration, 1.0 / share - 1.0) if share < 1.0 else None
        limits = self._limits
        if near is not None:
            at, rows = near.iterate.afresh(), near.rows
        count, closing = 0, _Closing(equations.joint_error(rows.value))
        for number in range(_ROUNDS):
            gaps, count = limits.with_clearances(at.configuration, clearances)
            at = at.with_gaps(len(gaps.gap))
            shifted = replace(rows, value=rows.value - offset)
            soft = closing.softness(equations)
            at = newton_step(equations, self.reference, at, shifted, gaps, _ONE_STEP, anchor, soft)
            rows = equations.rows(at.configuration)
            unmet = equations.unmet(rows.value - offset)
            ends = closing.ends(equations.joint_error(rows.value), at.length, enough, unmet)
            if ends and limits.passed(at.configuration) <= _PASSED:
                break
            if at.length > (wanders if number >= _PATIENCE else _STRAYS * wanders) and number > 0:
                break
            if number >= _HASTE and at.length <= wanders < np.inf:
                found, closing = self._closed(at.configuration, clearances)
                at = replace(at, configuration=found.configuration, length=found.length)
                rows = equations.rows(at.configuration)
                break
        closed = closing.error <= _NEARLY_CLOSED and at.length <= min(_LOOSELY, wanders)
        closed = closed and limits.passed(at.configuration) <= _PASSED
        return Solution.of(at, rows, closed, at.presses(), count)

    def _nearing(self, rows: Rows) -> Floats:
        """Return to which share (n,) of their way goals are led at most in a tick: all of it but for those
        that are farther than `_FARTHEST`.  So what is out of reach by far only pulls that way.
        """
        shares = np.ones(len(rows.value))
        for mine in self.equations.goal_rows:
            shares[mine] = _FARTHEST / max(float(np.linalg.norm(rows.value[mine])), _FARTHEST)
        return shares

    def _nearer(
        self, at: Iterate, rows: Rows, rest: Solution, clearances: Clearances[ValidT], speed: float
    ) -> Tick[ValidT] | None:
        """Return the tick to the solution that is found from the reference, where a figure comes to rest near
        to that, if less motion leads there; else None.

        An arm that was bent by b is straight again when its goal is b^2 / 8 off, which is soon next to
        nothing; and back at its start, a figure may be in another of several poses that are near.
        """
        here = rest.iterate.configuration
        if not _STUCK < self._groups.moved_by(here, self.reference) <= speed:
            return None
        unmoved = Iterate.start(self.reference, self.equations)
        near = replace(rest, iterate=unmoved, rows=self.equations.rows(self.reference))
        found = self._solution(at, rows, 1.0, clearances, _ENOUGH, near=near)
        there = found.iterate.configuration
        length = self._groups.moved_by(at.configuration, there)
        misfit = self.equations.unmet(found.rows.value)
        most = max(self.equations.unmet(rest.rows.value), _UNMET)
        less = self._groups.cost(self.reference, there) < _LESS * self._groups.cost(self.reference, here)
        is_better = found.closed and length <= speed and misfit <= most and less
        valid = clearances.checked(there) if is_better else None
        return None if valid is None else Tick(found, valid, 1.0, length)

    def _is_stuck(self, solution: Solution, start: Configuration) -> bool:
        """Return whether a goal is not met, nothing is in the way, and yet nothing moves."""
        if solution.limits or solution.clearances:
            return False
        left = self.equations.unmet(solution.rows.value)
        return left > _UNMET and self._groups.moved_by(start, solution.iterate.configuration) < _STUCK

    def _bent(
        self,
        at: Iterate,
        rows: Rows,
        solution: Solution,
        share: float,
        clearances: Clearances[ValidT],
        enough: float,
    ) -> Solution | None:
        """Return the solution from a figure bent out of a straight line, if it is nearer to the goals.

        Where limits of joints keep it from bending to one side, it is bent to the other.
        """
        twists = saddle_twists(self.equations, self.reference, solution.iterate, solution.rows)
        if twists is None:
            return None
        groups, most = self._groups, 0.99 * self.equations.unmet(solution.rows.value)
        far = groups.reach_of(twists)
        for kick in (_KICK / far, -_KICK / far):
            bent = replace(at, configuration=at.configuration.moved(kick * twists, groups.length))
            near = replace(solution, iterate=bent, rows=self.equations.rows(bent.configuration))
            found = self._solution(at, rows, share, clearances, enough, near=near)
            if found.closed and self.equations.unmet(found.rows.value) < most:
                return found
        return None

    def _part_of_motion(
        self, at: Iterate, end: Solution, share: float, clearances: Clearances[ValidT]
    ) -> Solution:
        """Return a share of the motion to another solution, joints closed by the least motion from there."""
        between = self._on_way(at.configuration, end.iterate.configuration, share)
        found, closing = self._closed(between, clearances)
        there = replace(at, configuration=found.configuration, length=found.length)
        rows, count = self.equations.rows(found.configuration), len(self._limits.beyond)
        closed = closing.error <= _NEARLY_CLOSED and self._limits.passed(found.configuration) <= _PASSED
        return Solution.of(there, rows, closed, found.presses(), count)

    def _closed(
        self, configuration: Configuration, clearances: Clearances[ValidT]
    ) -> tuple[Iterate, _Closing]:
        """Return the least motion from a configuration that closes joints, and how far it does."""
        bare, limits = self._bare, self._limits
        found, rows = Iterate.start(configuration, bare), bare.rows(configuration)
        closing = _Closing(bare.joint_error(rows.value))
        for _ in range(_ROUNDS):
            gaps, _ = limits.with_clearances(found.configuration, clearances)
            softness = closing.softness(bare)
            found = newton_step(bare, configuration, found, rows, gaps, _ONE_STEP, softness=softness)
            rows = bare.rows(found.configuration)
            ends = closing.ends(bare.joint_error(rows.value), found.length, _ENOUGH)
            if ends and limits.passed(found.configuration) <= _PASSED:
                break
        return found, closing


_ONE_STEP = 0.25  # of Newton's method, over L: no point moves farther


@dataclass
class _Closing:
    """How Newton's method closes joints and meets goals, and when it has ended.

    Each step leaves C / (A + C) of an error (`least_motion`).  That is next to nothing, but not where rows
    all but repeat others, as those of two legs whose feet are pinned, or where hardly any motion leads to a
    goal, as along an arm that is all but straight: A of these may be less than C.  There C is made smaller,
    as the method of multipliers asks for where it is slow.  And errors as small as those of rounded poses,
    which no motion closes, are left: their multipliers would grow by the error over C in each step until they
    bend the figure.

    error: of the joints, over L.  length: of the step before, over L.
    of_joints, of_goals: C of joints, and of goals that are to be met exactly, over that of the equations.
    """

    error: float
    length: float = np.inf
    of_joints: float = 1.0
    of_goals: float = 1.0

    def softness(self, equations: Equations) -> Floats:
        """Return C of all rows (n,), over that of the equations."""
        softness: Floats = np.where(equations.hard, self.of_joints, 1.0)
        for goal, mine in zip(equations.goals, equations.goal_rows, strict=True):
            softness[mine] = self.of_goals if goal.hard else 1.0
        return softness

    def ends(self, error: float, length: float, enough: float, unmet: float = 0.0) -> bool:
        """Return whether Newton's method has ended after a step of a length that left an error of joints, and
        goals unmet by so much.
        """
        slowly, lags = error > _SLOWLY * self.error, length > _SLOWLY * self.length
        longer = length >= self.length
        self.error, self.length = error, length
        closed = error <= (_CLOSED if enough <= _ENOUGH else _CLOSED_FOR_NOW)
        if closed and length <= enough:
            return True
        if length > _LOOSELY:
            return False
        if lags and error <= _NEARLY_CLOSED and _MET < unmet <= _ALL_BUT_MET and self.of_goals > _FIRMEST:
            self.of_goals *= _SOFTER
            return False
        if not slowly or (closed and not longer):
            return False
        if error <= _NEARLY_CLOSED and length <= max(enough, _ENOUGH):
            return True
        if error > _NEARLY_CLOSED:
            self.of_joints = max(_SOFTER * self.of_joints, _LEAST_SOFTNESS)
        return False
