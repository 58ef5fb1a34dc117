"""Rigid bodies with joints, limits and Coulomb friction in one step of time: a quadratic problem with cones.

    B x = w + E' l + G' h + J' f,    E x = e,    G x >= c, h >= 0, h . (G x - c) = 0,

and for each contact with u = J_i x = (u_n, u_t), bound c, given slip s and coefficient mu, Coulomb's law:

    u_n >= c,    f_n >= 0,    f_n (u_n - c) = 0,    |f_t| <= mu f_n,
    f_t = -mu f_n (u_t - s) / |u_t - s|    where u_t differs from s.

That is the cone's complementarity of De Saxce and Feng (1998): (u_n - c + mu |u_t - s|, u_t - s) is in the
dual of the cone of friction, and orthogonal to f.

All of it is brought to its own scale first (`conic_problem`).  Newton's method for the law (`coulomb_law`)
then begins with forces of a similar problem where such are known: it needs 1 to 5 iterations where few
contacts change between pressing, sticking, sliding and being open.  Where it fails, the interior-point
method (`conic_interior_point`) leads it to the solution, or to a point near it that is safe.  That begins
with the same forces, too, inside of their cones by about as much as is penetrated there, which saves a third
of its iterations.

Where both fail, which is almost only where friction is large, few contacts are solved one after the other
(`gauss_seidel`) to where Newton's method finds the solution.

Where mu is large, a normal force that is almost nothing holds against much, and none of these may find what
simply sticks.  Then Newton's method begins where all contacts stick; and if that fails, the problem is
solved with coefficients up to 1, and then with larger and larger ones, each time from the forces before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ...arrays import Bools, Floats
from .cone_system import SingularMatrixError
from .conic_interior_point import InteriorPoint, near_forces
from .conic_problem import ConeQP, ConicQP, ConicSolution, Forces, ScaledConicQP
from .coulomb_law import Point, ScaledProblem, has_few_contacts, newton
from .gauss_seidel import swept

_NEWTON = 12  # iterations of Newton's method in one attempt; 1 to 5 are usual
_NEWTON_FEW = 20  # the same of few contacts
_UNFAIR = 16  # contacts whose residual is not fair where it would begin, with which it fails 15 times of 16
_ITERATIONS = 40  # of the interior-point method; 10 to 15 are usual
_LAST = 3  # iterations after which it ends if they did not halve mu, and
_NEARLY = 1e-6  # mu was below this, or
_SHORT = 0.3  # all these parts of steps together were shorter
_LAST_FAIRLY = 5  # iterations of many contacts after which it ends at a safe point if they did not halve mu
_LEAST = (0.1, 10.0)  # of s and z where the interior-point method begins, and begins again
_LEAST_LIKE = (1e-3, 0.1)  # the same, from and up to, where forces of a similar problem are known
_UNBALANCED = 1e-9  # lack of the equation of motion, over the largest force, with which it begins again
_PENETRATED = 1e-8  # lack of room or of an equation, over the size of x, with which it does so, or
_PENETRATED_FAIRLY = 1e-2  # the same over what is fair, if that is more
_GENTLE = 1.0  # coefficient of friction with which searches hardly ever fail
_STEEPER = 2.0  # the next coefficient that is tried, over the one before
_NEAR = 0.1  # size of x, over that of the free motion, for which contacts are kept from the beginning


def solve_conic_qp(
    problem: ConicQP, like: Forces | None = None, enough: float = 1e-10, fair: float = 0.0
) -> ConicSolution | None:
    """Return the solution of a problem; None if it is proven that no x obeys its hard rows.

    Hard rows are equations, limits, and u_n >= c of contacts.  Where the search does not converge, the
    solution obeys hard rows and has forces within the cones all the same, but contacts may open, or friction
    point aside of sliding, by about the residual; or there is less friction than the coefficients say, if the
    search converges so.

    Args:
        problem: the problem.
        like: forces of a similar one with the same limits and contacts in the same order, to begin with.
        enough: residual that ends the search.
        fair: residual that ends it where there are many contacts and it has become slow, as it does where
            these touch without force.
    """
    cones = ConeQP.of(problem)
    kept, used = _within_reach(cones), 0
    ends = _Ends(enough, fair)
    while True:
        found = _solved(cones.of_contacts(kept), _like_contacts(like, kept), ends)
        if found is None:
            return None
        used += found.iterations
        forces = np.zeros((len(kept), 3))
        forces[kept] = found.contact_forces
        found = replace(found, contact_forces=forces, iterations=used)
        broken = ~kept & (cones.rows.normals_times(found.x) < cones.bounds)[: len(kept)]
        if not broken.any():
            return found
        kept, like = kept | broken, found.forces


def _within_reach(problem: ConeQP) -> Bools:
    """Return the contacts (k,) that may press, for x of the size that the free motion has.

    Lengths of rows are those over the root of B's diagonal: a change of x by 1 changes u_n by at most that.
    """
    count, root = len(problem.friction), 1.0 / np.sqrt(problem.matrix.diagonal())
    bounds, free = problem.bounds[:count], root * problem.linear
    length = problem.rows.normal_lengths(root)[:count]
    approach = np.minimum(problem.rows.normals_times(root * free)[:count], 0.0)
    farthest = max(float(np.abs(free).max(initial=0.0)), float((bounds / length).max(initial=0.0)))
    near: Bools = bounds - approach > -_NEAR * length * farthest
    return near | (bounds >= 0.0)


def _like_contacts(like: Forces | None, kept: Bools) -> Forces | None:
    return None if like is None else like._replace(contacts=like.contacts[kept])


class _Ends(NamedTuple):
    """The residual that ends a search, and the one that ends a slow search."""

    enough: float
    fair: float

    @property
    def most(self) -> float:
        """The residual of a solution."""
        return max(self.enough, self.fair)

    @property
    def room(self) -> float:
        """The lack of room, over the size of x, that is safe."""
        return max(_PENETRATED, _PENETRATED_FAIRLY * self.fair)


def _solved(problem: ConeQP, like: Forces | None, ends: _Ends) -> ConicSolution | None:
    """Return the solution with all contacts of a problem; None if it is proven that there is none."""
    found = _sought(problem, like, ends)
    if found is None or found.residual <= ends.most:
        return found
    one_by_one = _one_by_one(problem, found, ends)
    if one_by_one is not None:
        return one_by_one
    if problem.friction.max(initial=0.0) <= _GENTLE:
        return found
    stuck = _from_sticking(problem, ends)
    if stuck is None:
        return _from_less_friction(problem, found, like, ends)
    return replace(stuck, iterations=found.iterations + stuck.iterations)


def _one_by_one(problem: ConeQP, found: ConicSolution, ends: _Ends) -> ConicSolution | None:
    """Return the solution of few contacts to which one after the other leads, finished by Newton's method;
    None if they lead to none.

    found: what the other methods have found.
    """
    if not has_few_contacts(len(problem.bounds)):
        return None
    scaled, used = ScaledConicQP(problem), found.iterations
    try:
        for start in swept(scaled.problem):
            point, residual, more = newton(scaled.problem, start, _NEWTON)
            used += more
            if residual <= ends.enough:
                return scaled.solution(point, residual, used)
    except SingularMatrixError:
        return None
    return None


def _from_sticking(problem: ConeQP, ends: _Ends) -> ConicSolution | None:
    """Return the solution that Newton's method finds from where all contacts stick; None if it finds none."""
    scaled = ScaledConicQP(problem)
    try:
        start = scaled.problem.sticking()
    except SingularMatrixError:
        return None
    point, residual, used = newton(scaled.problem, start, _NEWTON)
    return scaled.solution(point, residual, used) if residual <= ends.enough else None


def _from_less_friction(
    problem: ConeQP, found: ConicSolution, like: Forces | None, ends: _Ends
) -> ConicSolution:
    """Return a solution that is led to from those with less friction, or the one of these with most of it;
    what was found if they are no better.
    """
    friction, used = problem.friction, found.iterations
    least, known = _GENTLE, found
    while least < friction.max(initial=0.0):
        led = _sought(replace(problem, friction=np.minimum(friction, least)), like, ends)
        if led is None:
            return replace(known, iterations=used)
        like, used, least = led.forces, used + led.iterations, _STEEPER * least
        known = led if led.residual <= ends.most else known
    last = None if known is found else _sought(problem, like, ends)
    if last is None:
        return replace(known, iterations=used)
    best = last if last.residual <= ends.most else known
    return replace(best, iterations=used + last.iterations)


def _sought(problem: ConeQP, like: Forces | None, ends: _Ends) -> ConicSolution | None:
    """Return what both methods find with all contacts of a problem; None if it is proven that there is
    nothing.
    """
    scaled, used = ScaledConicQP(problem), 0
    if scaled.problem.has_few_contacts:
        ends = ends._replace(fair=0.0)
    start = None if like is None else scaled.start(like)
    if start is not None or scaled.problem.has_few_contacts:
        point, residual, used = _by_newton(
            scaled.problem, scaled.start(None) if start is None else start, ends
        )
        if residual <= ends.most:
            return scaled.solution(point, residual, used)
    led = _led(scaled.problem, None if start is None else start.forces, ends)
    if led is None:
        return None
    if led[1] > ends.enough and not _is_safe(scaled.problem, led[0], ends.room) and _has_no_point(problem):
        return None
    return scaled.solution(led[0], led[1], used + led[2])


_Found = tuple[Point, float, int]
"""A point, its residual, and the factorizations that it took."""


def _by_newton(problem: ScaledProblem, start: Point, ends: _Ends) -> _Found:
    """Return a point by Newton's method; its residual is infinite if it is not small enough, or not safe.

    What many contacts need is enough; few go on as far as rounding lets them.  It is not tried where too many
    contacts would have to change at once.
    """
    if ends.fair > 0.0:
        lacks = np.abs(problem.residuals(start).law).max(axis=0, initial=0.0)
        if np.count_nonzero(lacks > ends.fair) > _UNFAIR:
            return start, np.inf, 0
    most = _NEWTON_FEW if problem.has_few_contacts else _NEWTON
    point, residual, used = newton(problem, start, most, ends.enough if ends.fair > 0.0 else 0.0)
    if residual <= ends.enough:
        return point, residual, used
    if residual <= ends.fair:
        point = problem.balanced(point)
        if _is_safe(problem, point, ends.room):
            return point, problem.residuals(point).largest(point.forces), used
    return point, np.inf, used


def _led(problem: ScaledProblem, like: Floats | None, ends: _Ends) -> _Found | None:
    """Return a point by the interior-point method, finished by Newton's; None if no x obeys the rows.

    Where forces are far larger than they were expected to be, steps are short from the beginning, and the
    equation of motion does not come to hold; the search then begins again with larger s and z.

    like: forces (3, K) of a similar problem, to begin with.
    """
    tried: list[_Found] = []
    used = 0
    for search in _searches(problem, like):
        found = _searched(ends, search)
        if found is None:
            return None
        point, residual, iterations = found
        used += iterations
        if residual > ends.fair and (ends.fair == 0.0 or not _is_safe(problem, point, ends.room)):
            finished, least, more = newton(problem, point, _NEWTON)
            used += more
            if least <= ends.enough:
                return finished, least, used
        point = problem.balanced(point)
        if _is_safe(problem, point, ends.room):
            return point, problem.residuals(point).largest(point.forces), used
        tried.append((point, residual, used))
    point, residual, _ = min(tried, key=lambda found: found[1])
    return point, residual, used


def _searches(problem: ScaledProblem, like: Floats | None) -> Iterator[InteriorPoint]:
    """Yield searches that begin with s and z larger and larger, the first near similar forces (3, K).

    Near these s and z are as large as what the forces let penetrate: with smaller ones the first steps are
    short.
    """
    if like is not None:
        nearest, most = _LEAST_LIKE
        lack = problem.lack(near_forces(problem, like, nearest).x)
        yield InteriorPoint(problem, min(max(lack, nearest), most), like)
    for size in _LEAST:
        yield InteriorPoint(problem, size)


def _is_safe(problem: ScaledProblem, point: Point, room: float) -> bool:
    """Return whether the equation of motion and equations hold, and nothing is penetrated."""
    forces = max(1.0, float(np.abs(point.forces).max(initial=0.0)))
    balanced = np.abs(problem.dual_residual(point)).max() <= _UNBALANCED * forces
    return bool(balanced and problem.lack(point.x) <= room)


def _searched(ends: _Ends, search: InteriorPoint) -> _Found | None:
    """Return the best point of a search; None if it proves that no x obeys the rows.

    A point that is not safe is worse than any other.
    """
    path, best, least = _Path(), search.point, (True, np.inf)
    while least > (False, ends.enough) and not path.ends(ends.fair, least[0]) and _iterated(search):
        found = (search.lack > ends.room, search.residual)
        if found[0] and search.is_infeasible():
            return None
        path.add(search)
        if found < least:
            best, least = search.point, found
    return best, least[1], len(path.mu)


@dataclass
class _Path:
    """What tells how an interior-point search goes: mu, the parts of its steps that were taken, residuals."""

    mu: list[float] = field(default_factory=list)
    parts: list[float] = field(default_factory=list)
    residuals: list[float] = field(default_factory=list)

    def add(self, search: InteriorPoint) -> None:
        self.mu.append(search.mu)
        self.parts.append(search.part)
        self.residuals.append(search.residual)

    def ends(self, fair: float, lacks: bool) -> bool:
        """Return whether there were enough iterations, or the last ones changed little.

        fair: a residual that is small enough where the last iteration did not halve it; 0 for few contacts.
        lacks: whether no point was safe so far.
        """
        if len(self.mu) <= _LAST:
            return False
        before, least = min(self.residuals[:-1]), min(self.residuals)
        if fair > 0.0 and not lacks and (fair >= least > 0.5 * before or self._stalls(_LAST_FAIRLY)):
            return True
        short = self.mu[-1] < _NEARLY or sum(self.parts[-_LAST:]) < _SHORT
        return len(self.mu) >= _ITERATIONS or (self._stalls(_LAST) and short)

    def _stalls(self, last: int) -> bool:
        """Return whether the last iterations together did not halve mu."""
        return len(self.mu) > last and self.mu[-1] > 0.5 * self.mu[-1 - last]


def _iterated(search: InteriorPoint) -> bool:
    try:
        return search.iterate()
    except SingularMatrixError:
        return False


def _has_no_point(problem: ConeQP) -> bool:
    """Return whether the problem without friction, which is convex, proves that no x obeys the rows."""
    smooth = replace(problem, friction=np.zeros_like(problem.friction))
    search = InteriorPoint(ScaledConicQP(smooth).problem, _LEAST[0])
    return any(_iterated(search) and search.is_infeasible() for _ in range(_ITERATIONS))
