"""The bound on the second derivatives of rational patches."""

import numpy as np

from physplace_addon.core.surfaces.bernstein import part_matrices
from physplace_addon.core.surfaces.bezier.nets import BezierNets
from physplace_addon.core.surfaces.bezier.splines import spline_surface
from physplace_addon.core.surfaces.rational import second_derivative_bounds
from tests.core.surfaces.bezier import spline_bodies as splines


def test_the_bound_on_second_derivatives_tends_to_them_as_cells_get_small(rng: np.random.Generator) -> None:
    sheet = splines.random_sheet(rng, (4, 4), (6, 6), rational=True)
    nets = spline_surface([sheet]).nets
    assert isinstance(nets, BezierNets)
    patch, (at,) = np.zeros(1, dtype=int), rng.uniform(0.2, 0.8, (1, 1, 2))
    true = nets.derivatives(patch, at)
    for size, most in ((1e-1, 3.0), (1e-3, 1.02)):
        low, high = at[:, :, None] - 0.5 * size, at[:, :, None] + 0.5 * size
        by_u, by_v = (part_matrices(low[:, i, 0], high[:, i, 0], 3)[0] for i in (0, 1))
        part = np.einsum("ai,bj,ijx->abx", by_u, by_v, nets.control[0])
        for bound, bend in zip(second_derivative_bounds(part[None]), (true.duu, true.dvv), strict=True):
            assert 0.999 < bound[0] / (size**2 * np.linalg.norm(bend)) < most
