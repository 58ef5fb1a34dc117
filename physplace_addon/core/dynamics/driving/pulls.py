"""A pull: a damped spring of bounded force from a point of a body to a goal in the scene.

A force f at the point, by r from the centre of mass, changes the point's velocity by A f with the compliance
A = J M^-1 J', J = (R_b 1, -[r]x).  To shift the point by an acceleration a takes f = A^-1 a: the mass that is
felt there.  With x from the goal to the point and v its velocity,

    a = -kappa(x) x - 2 w v,    kappa = w^2 up to a stretch L, w^2 sqrt(L (2 |x| - L)) / |x| beyond it,

which is critically damped in all directions.  Far away the point goes where the spring and the damper agree,
at w/2 sqrt(L (2 |x| - L)), so it needs to brake by w^2 L / 4 only.  L = a_max / w^2, and the force is at most
the mass of the body times a_max: so it can, and does not overshoot.

The force is constant over a step of h.  A free point then goes by x1 = x + h (v + v1) / 2, v1 = v + h a, and
is to decay as the spring does, by z = exp(-h (w +- sqrt(w^2 - kappa))).  That is so for

    h^2 a = -p x - q h v,    p = (1 - z1) (1 - z2),    q = 2 - z1 - z2 - p/2,

since the change of (x, h v) in a step has the trace 2 - q - p/2 = z1 + z2 and the determinant
1 - q + p/2 = z1 z2.  Where contacts or joints hold, the point moves as if it were heavier: with p and q less
by a factor s < 1, both eigenvalues are within the unit circle still, as 0 < s (q - p/2) = s (1 - z1 z2) < 1
and 0 < s q < 2.  So it is stable whatever h is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ...arrays import Bools, Floats
from ...errors import PhysPlaceError
from ...mechanics.inertia import Inertia
from ...vectors import cross, length
from ..motion import Motion

RATE: Final = 15.0  # w, 1/s: what is pulled by hand follows within some tenths of a second


class PullError(PhysPlaceError):
    """A pull that is none."""


@dataclass(frozen=True, eq=False)
class Pull:
    """What pulls a point of one body to a goal.

    body: its number.  point (3,): in the body's own frame.  goal (3,): in the scene.
    strongest: a_max, lengths over s^2: the force is at most the body's mass times it.
    """

    body: int
    point: Floats
    goal: Floats
    strongest: float

    def check(self, moves: Bools) -> None:
        """Raise PullError unless it has a place, a strength, and a body of those that move (m,)."""
        if not 0 <= self.body < len(moves) or not moves[self.body]:
            raise PullError(f"there is no body {self.body} that moves by itself")
        if not (np.isfinite(self.point).all() and np.isfinite(self.goal).all()):
            raise PullError(f"a pull needs a point and a goal, found {self.point} and {self.goal}")
        if not 0.0 < self.strongest < np.inf:
            raise PullError(f"the strongest acceleration by a pull must be positive, it is {self.strongest}")

    def seen_from(self, origin: Floats) -> Pull:
        """Return the pull in coordinates with another origin (3,)."""
        return replace(self, goal=self.goal - origin)

    def place(self, inertia: Inertia, motion: Motion) -> Floats:
        """Return where the point is (3,)."""
        own = inertia.take(np.array([self.body]))
        (pose,) = motion.take(np.array([self.body])).poses(own)
        placed: Floats = pose.points(self.point)
        return placed

    def force(self, inertia: Inertia, motion: Motion, h: float) -> PullForce:
        """Return the force over a step of h seconds.

        Args:
            inertia: of the bodies.
            motion: at the beginning of the step.
            h: the step, s.
        """
        place, centre = self.place(inertia, motion), motion.centre[self.body]
        rows = np.concatenate(
            [inertia.radius[self.body] * np.eye(3), cross(place - centre, np.eye(3))], axis=1
        )
        own = np.array([self.body])
        block = inertia.take(own).blocks(motion.rotation[own])[0]
        responses = np.linalg.solve(block, rows.T)
        spring, damper = self._gains(place - self.goal, h)
        wanted = -(spring * (place - self.goal) + damper * h * (rows @ motion.rates[self.body])) / h**2
        force: Floats = np.linalg.solve(rows @ responses, wanted)
        most, size = float(inertia.mass[self.body]) * self.strongest, float(length(force))
        force *= min(1.0, most / max(size, 1e-300))
        return PullForce(self, force, responses @ force)

    def _gains(self, stretch: Floats, h: float) -> tuple[float, float]:
        """Return p and q at a stretch (3,), for a step of h seconds."""
        soft, far = self.strongest / RATE**2, float(length(stretch))
        share = 1.0 if far <= soft else float(np.sqrt(soft * (2.0 * far - soft))) / far
        decays = RATE * (1.0 + np.sqrt(1.0 - share) * np.array([-1.0, 1.0]))
        p = float(np.prod(-np.expm1(-h * decays)))
        return p, float((-np.expm1(-h * decays)).sum()) - 0.5 * p


@dataclass(frozen=True, eq=False)
class PullForce:
    """A pull's force (3,) over a step, and by what it changes the rates (6,) of its body, 1/s^2."""

    pull: Pull
    force: Floats
    kick: Floats

    def work(self, inertia: Inertia, before: Motion, after: Motion) -> float:
        """Return the energy that it puts in from one motion to another one."""
        way = self.pull.place(inertia, after) - self.pull.place(inertia, before)
        return float(self.force @ way)
