"""The settings of a placement."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import PlacementError


@dataclass(frozen=True)
class Settings:
    """gravity: direction; eps_max: farthest a point may move in a step, over R; recovery: growth of eps
    after success (the paper's lambda); step_limit; balance: "nonnegative", or the paper's "svd";
    start_tolerance: depth, scene units, of overlap at the start that is lifted away instead of refused
    (rounding of the scene's single precision).
    """

    gravity: tuple[float, float, float] = (0.0, 0.0, -1.0)
    eps_max: float = 0.05
    recovery: float = 1.33
    step_limit: int = 400
    balance: str = "nonnegative"
    start_tolerance: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 < self.eps_max <= 0.5:
            raise PlacementError(f"eps_max: expected more than 0 and at most 0.5, found {self.eps_max}")
        if self.recovery <= 1.0:
            raise PlacementError(f"recovery: expected more than 1, found {self.recovery}")
        if self.step_limit < 1:
            raise PlacementError(f"step_limit: expected at least 1, found {self.step_limit}")
        if self.balance not in ("nonnegative", "svd"):
            raise PlacementError(f'balance: expected "nonnegative" or "svd", found "{self.balance}"')
