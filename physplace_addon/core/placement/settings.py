"""The settings of a placement; the paper is Snyder 1995."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import PlacementError


@dataclass(frozen=True)
class Settings:
    """The settings of a placement.

    Attributes:
        gravity: its direction (3,), of any length; None for no gravity.
        eps_max: the farthest that a point may move in a step, over R.
        recovery: the growth of eps after a step that succeeds (the paper's lambda).
        step_limit: the number of steps after which a placement ends.
        balance: "non_negative", or "svd", the paper's, to compare with.
        start_tolerance: the depth, in scene units, of an overlap at the start that is lifted away instead of
            refused: the rounding of the scene's single precision.
        check_energy: whether states that raise the energy are refused; off while a body is pushed, as a push
            has no energy.
        friction: Coulomb's coefficient of all contacts, with which a body may be at rest.
        surface_friction: in place of that, the coefficients of surfaces: those of the moving bodies, then
            those of the fixed ones.  A contact has the product of its two.  None for one coefficient.
        alpha: how much of that friction takes part in the motion, 0 to 1 (Snyder 1995, section 5.2).
        leave_metastable: whether to go on from a rest that the least nudge would end, by a nudge.
        seed: of the random choice of that nudge.
        distance_threshold: how far, over R, a new point may be from where the triangles met (section 4.3).

    Raises PlacementError for a value out of its range.
    """

    gravity: tuple[float, float, float] | None = (0.0, 0.0, -1.0)
    eps_max: float = 0.05
    recovery: float = 1.33
    step_limit: int = 400
    balance: str = "non_negative"
    start_tolerance: float = 0.0
    check_energy: bool = True
    friction: float = 0.0
    surface_friction: tuple[float, ...] | None = None
    alpha: float = 0.0
    leave_metastable: bool = False
    seed: int = 0
    distance_threshold: float = np.inf

    def __post_init__(self) -> None:
        surfaces = self.surface_friction or ()
        checks = (
            ("eps_max", 0.0 < self.eps_max <= 0.5, "more than 0 and at most 0.5"),
            ("recovery", self.recovery > 1.0, "more than 1"),
            ("step_limit", self.step_limit >= 1, "at least 1"),
            ("balance", self.balance in ("non_negative", "svd"), '"non_negative" or "svd"'),
            ("start_tolerance", self.start_tolerance >= 0.0, "0 or more"),
            ("friction", 0.0 <= self.friction < np.inf, "0 or more, and finite"),
            (
                "surface_friction",
                min(surfaces, default=0.0) >= 0.0 and max(surfaces, default=0.0) < np.inf,
                "all 0 or more, and finite",
            ),
            ("alpha", 0.0 <= self.alpha <= 1.0, "0 to 1"),
            ("distance_threshold", self.distance_threshold > 0.0, "more than 0"),
        )
        for name, right, expected in checks:
            if not right:
                raise PlacementError(f"{name}: expected {expected}, found {getattr(self, name)!r}")

    @property
    def has_friction(self) -> bool:
        """Whether friction acts at any contact."""
        return self.friction > 0.0 if self.surface_friction is None else any(self.surface_friction)
