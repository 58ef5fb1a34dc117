"""An open or closed surface of bicubic Bezier patches, for the oracles; shares no code with the solver.

Patches are kept as polynomials in powers of u and v.  Farthest points start from dense samples and are
refined by zooming, a grid of parameters shrunk about the best point so far: no derivative is used, so poles,
borders and folds need no care.  Nearest points, of which there are many more, are found by Newton's steps.

The sign of a distance is the side on which the nearest point's normal says the other point is: right where
the surface is as good as closed, as a pot is seen from above its rim.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from tests.oracles.arrays import Bools, Floats, Ints
from tests.oracles.shapes import Branches, Patch

FAR = 3.0  # sample spacings beyond which a distance need not be exact
AXIS = np.linspace(-1, 1, 7)
ZOOM = np.stack(np.meshgrid(AXIS, AXIS, indexing="ij"), axis=-1).reshape(-1, 2)
POWERS = np.array(
    [
        [comb(3, i) * comb(3 - i, p - i) * (-1) ** (p - i) if p >= i else 0 for i in range(4)]
        for p in range(4)
    ],
    float,
)


class Patches:
    """Patches with control points (n, 4, 4, 3): patch, along u, along v."""

    def __init__(self, nets: ArrayLike, samples: int = 33, centre: ArrayLike | None = None) -> None:
        self.coefficients = np.einsum("pi,qj,nijx->npqx", POWERS, POWERS, np.asarray(nets, float))
        self.count = len(self.coefficients)
        self.tables: dict[tuple[int, int], Floats] = {}
        t = (np.arange(samples) + 0.5) / samples  # inside: at a pole all u are alike, and tell no way
        self.grid = np.stack(np.meshgrid(t, t, indexing="ij"), axis=-1).reshape(-1, 2)
        self.samples = samples
        at = np.tile(self.grid, (self.count, 1))
        self.sampled = self.at(np.repeat(np.arange(self.count), len(self.grid)), at)
        self.tree = cKDTree(self.sampled, leafsize=40)
        net = self.sampled.reshape(self.count, samples, samples, 3)
        self.spacing = max(np.linalg.norm(np.diff(net, axis=axis), axis=3).max() for axis in (1, 2))
        self.centre = self._centre() if centre is None else np.asarray(centre, float)

    def at(self, patch: Ints, uv: Floats, orders: tuple[int, int] = (0, 0)) -> Floats:
        """Points (k, 3), or derivatives of the given orders by u and v, of patches (k,) at (k, 2)."""
        c = self._table(orders)
        p, q = (np.stack([uv[:, axis] ** n for n in range(c.shape[axis + 1])], axis=1) for axis in (0, 1))
        rows = (p[:, None] @ c.reshape(*c.shape[:2], -1)[patch])[:, 0].reshape(len(patch), c.shape[2], 3)
        return (q[:, None] @ rows)[:, 0]

    def _jets(self, patch: Ints, uv: Floats) -> Floats:
        """All derivatives (k, 3, 3, 3) up to the second by u and by v of patches (k,) at (k, 2)."""
        n, powers = np.arange(4), uv[:, :, None] ** np.arange(4)
        once = n * np.roll(powers, 1, axis=2)
        twice = n * np.roll(once, 1, axis=2)
        p, q = np.moveaxis(np.stack([powers, once, twice], axis=2), 1, 0)
        rows = p @ self.coefficients.reshape(self.count, 4, 12)[patch]
        result: Floats = q[:, None] @ rows.reshape(-1, 3, 4, 3)
        return result

    def _table(self, orders: tuple[int, int]) -> Floats:
        """Coefficients (n, powers of u, powers of v, 3) of a derivative."""
        if orders not in self.tables:
            c = self.coefficients
            for axis, order in enumerate(orders):
                for _ in range(order):
                    c = np.moveaxis(c, axis + 1, -1)
                    c = np.moveaxis(c[..., 1:] * np.arange(1, c.shape[-1]), -1, axis + 1)
            self.tables[orders] = np.ascontiguousarray(c)
        result: Floats = self.tables[orders]
        return result

    def _centre(self, cuts: int = 12, nodes: int = 16) -> Floats:
        """Centre of the area, by Gauss-Legendre sums over cuts x cuts parts of every patch."""
        x, weight = np.polynomial.legendre.leggauss(nodes)
        t = ((np.arange(cuts)[:, None] + (x + 1) / 2) / cuts).ravel()
        w = np.tile(weight, cuts)
        uv = np.stack(np.meshgrid(t, t, indexing="ij"), axis=-1).reshape(-1, 2)
        patch, uv = np.repeat(np.arange(self.count), len(uv)), np.tile(uv, (self.count, 1))
        area = np.cross(self.at(patch, uv, (1, 0)), self.at(patch, uv, (0, 1)))
        share = np.tile(np.outer(w, w).ravel(), self.count) * np.linalg.norm(area, axis=1)
        result: Floats = share @ self.at(patch, uv) / share.sum()
        return result

    def support(self, d: Floats) -> Floats:
        return np.concatenate([self._support(part) for part in np.array_split(d, len(d) // 16 + 1)])

    def _support(self, d: Floats) -> Floats:
        height = (np.asarray(d) @ self.sampled.T).reshape(len(d), self.count, -1)
        best = np.argmax(height, axis=2)
        top = np.argsort(-height.max(axis=2), axis=1)[:, :4]
        rows = np.repeat(np.arange(len(d)), top.shape[1])
        patch = top.ravel()
        uv = self.grid[best[rows, patch]]
        along = np.asarray(d)[rows]
        _, value = self._zoomed(patch, uv, lambda x: -np.einsum("kmi,ki->km", x, along))
        result: Floats = np.max(-value.reshape(len(d), -1), axis=1) - d @ self.centre
        return result

    def _zoomed(self, patch: Ints, uv: Floats, cost: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
        """Parameters and least costs (k,) near uv; `cost` takes points (k, m, 3) to (k, m)."""
        width, rows = np.full(len(patch), 1.0 / self.samples), np.arange(len(patch))
        best = cost(self.at(patch, uv)[:, None])[:, 0]
        for _ in range(45):
            trial = np.clip(uv[:, None] + width[:, None, None] * ZOOM, 0, 1)
            x = self.at(np.repeat(patch, len(ZOOM)), trial.reshape(-1, 2)).reshape(len(patch), -1, 3)
            values = cost(x)
            index = np.argmin(values, axis=1)
            better = values[rows, index] < best
            border = better & (np.max(np.abs(ZOOM[index]), axis=1) > 0.99)
            uv = np.where(better[:, None], trial[rows, index], uv)
            best = np.where(better, values[rows, index], best)
            width = np.where(border, width, 0.45 * width)
            if width.max() < 1e-9:
                break
        return uv, best

    def branches(self, d: Floats) -> Branches:
        """Local maxima that are smooth points inside a patch or on a join; others keep dx/dd = 0."""
        height = (self.sampled @ d).reshape(self.count, self.samples, self.samples)
        padded = np.pad(height, ((0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
        peak = np.ones(height.shape, bool)
        for i, j in ((0, 1), (1, 0), (1, 2), (2, 1), (0, 0), (0, 2), (2, 0), (2, 2)):
            peak &= height >= padded[:, i : i + self.samples, j : j + self.samples]
        peak &= height > height.max() - 0.3 * np.ptp(height)
        patch, i_of, j_of = np.nonzero(peak)
        uv, value = self._zoomed(patch, self.grid[i_of * self.samples + j_of], lambda x: -(x @ d))
        uv = self._climbed(patch, uv, d)
        x = self.at(patch, uv)
        keep = _distinct(x, -value)
        patch, uv, x = patch[keep], uv[keep], x[keep]
        return Branches((x - self.centre) @ d, x - self.centre, self._slopes(patch, uv, d))

    def _derivatives(self, patch: Ints, uv: Floats, d: Floats) -> tuple[Floats, Floats]:
        """First derivatives (k, 3, 2), and the second ones of the height along d (k, 2, 2)."""
        first = np.stack([self.at(patch, uv, (1, 0)), self.at(patch, uv, (0, 1))], axis=2)
        orders = ((2, 0), (1, 1), (1, 1), (0, 2))
        return first, np.stack([self.at(patch, uv, o) @ d for o in orders], axis=1).reshape(-1, 2, 2)

    def _climbed(self, patch: Ints, uv: Floats, d: Floats) -> Floats:
        """Newton's last steps to smooth peaks: zooming alone knows their place to half the digits only."""
        for _ in range(4):
            first, bend = self._derivatives(patch, uv, d)
            peak = np.linalg.eigvalsh(bend).max(axis=1) < -1e-9
            step = -np.linalg.solve(np.where(peak[:, None, None], bend, -np.eye(2)), (d @ first)[..., None])
            step = np.where(
                peak[:, None] & (np.abs(step[..., 0]).max(axis=1) < 1e-4)[:, None], step[..., 0], 0
            )
            uv = np.clip(uv + step, 0, 1)
        return uv

    def _slopes(self, patch: Ints, uv: Floats, d: Floats) -> Floats:
        first, bend = self._derivatives(patch, uv, d)
        inside = np.abs(np.einsum("kia,i->ka", first, d)).max(axis=1) < 1e-5
        inside &= np.linalg.eigvalsh(bend).max(axis=1) < -1e-12
        bend = np.where(inside[:, None, None], bend, -np.eye(2))
        slopes = -np.einsum("kia,kab,kjb->kij", first, np.linalg.inv(bend), first)
        return np.where(inside[:, None, None], slopes, 0.0)

    def signed_distance(self, x: Floats) -> Floats:
        """Signed distances (k,), negative on the side away from the nearest normal; far away, where nothing
        touches, of the nearest sample.
        """
        distance, index = (np.asarray(part) for part in self.tree.query(x, k=6))
        patch, start = index // len(self.grid), self.grid[index % len(self.grid)]
        near = distance[:, :1] < FAR * self.spacing
        first = near & np.ones(patch.shape, bool)  # one start is enough on each patch
        for column in range(1, patch.shape[1]):
            first[:, column] &= np.all(patch[:, :column] != patch[:, column : column + 1], axis=1)
        row, place = np.nonzero(first)
        best, patch, at = distance[:, 0].copy(), patch[:, 0].copy(), start[:, 0].copy()
        owner = (index // len(self.grid))[row, place]
        uv = self._foot(owner, start[row, place], x[row])
        apart = np.linalg.norm(self.at(owner, uv) - x[row], axis=1)
        nearer = np.argsort(-apart, kind="stable")  # of what one point is given, the last, the nearest, stays
        nearer = nearer[apart[nearer] <= best[row[nearer]]]
        best[row[nearer]], patch[row[nearer]], at[row[nearer]] = apart[nearer], owner[nearer], uv[nearer]
        inner = np.clip(at, 1e-7, 1 - 1e-7)
        normal = np.cross(self.at(patch, inner, (1, 0)), self.at(patch, inner, (0, 1)))
        side = np.where(np.sum((x - self.at(patch, at)) * normal, axis=1) < 0, -1.0, 1.0)
        result: Floats = side * best
        return result

    def _foot(self, patch: Ints, uv: Floats, x: Floats) -> Floats:
        """Newton's clamped steps to the nearest points, taken only where they lead nearer."""
        uv, active, damping = uv.copy(), np.arange(len(patch)), np.full(len(patch), 1e-3)
        for _ in range(40):
            own, at = patch[active], uv[active]
            jets = self._jets(own, at)
            here = jets[:, 0, 0] - x[active]
            step, sure = self._step_to_foot(jets, at, here, damping[active])
            trial = np.clip(at + step, 0, 1)
            there = self.at(own, trial) - x[active]
            nearer = np.sum(there * there, axis=1) < np.sum(here * here, axis=1)
            uv[active[nearer]] = trial[nearer]
            damping[active] = np.where(nearer, 0.3, 8.0) * damping[active]
            going = np.where(nearer, np.abs(trial - at).max(axis=1) > 1e-13, ~sure & (damping[active] < 1e2))
            active = active[going]
            if not len(active):
                break
        return uv

    def _step_to_foot(self, jets: Floats, uv: Floats, here: Floats, damping: Floats) -> tuple[Floats, Bools]:
        """Steps (k, 2) by the full second derivative where that is safe (told for each), or damped ones."""
        first = np.stack([jets[:, 1, 0], jets[:, 0, 1]], axis=2)
        u, v = np.array([[2, 1], [1, 0]]), np.array([[0, 1], [1, 2]])
        metric = np.swapaxes(first, 1, 2) @ first
        slope = np.einsum("kia,ki->ka", first, here)
        full = metric + np.einsum("kabi,ki->kab", jets[:, u, v], here)
        sure = np.linalg.eigvalsh(full)[:, 0] > 1e-3 * np.trace(metric, axis1=1, axis2=2)
        matrix = np.where(sure[:, None, None], full, metric + damping[:, None, None] * np.eye(2))
        closed = ((uv <= 0) & (slope > 0)) | ((uv >= 1) & (slope < 0))
        matrix = np.where(closed[:, :, None] | closed[:, None, :], matrix * np.eye(2), matrix)
        slope = np.where(closed, 0.0, slope)
        return -np.linalg.solve(matrix, slope[..., None])[..., 0], sure

    def core(self) -> tuple[list[Patch], float]:
        def over(number: int) -> Callable[[Floats], Floats]:
            return lambda p: self.at(np.full(len(p), number), p)

        return [Patch(over(n), (0, 0), (1, 1), (17, 17)) for n in range(self.count)], 0.0


def _distinct(x: Floats, value: Floats) -> Ints:
    """Rows of points (k, 3) that are not within 1e-6 of a higher one."""
    keep: list[int] = []
    for row in np.argsort(-value, kind="stable"):
        if all(np.linalg.norm(x[row] - x[other]) > 1e-6 for other in keep):
            keep.append(int(row))
    return np.array(keep, dtype=int)
