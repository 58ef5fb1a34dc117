"""What keeps floaters on the surface."""

import numpy as np

from physplace_addon.core.implicit import Spheres
from physplace_addon.core.implicit.particles.attachment import attached_to_surface, constrained_velocity
from tests.core.implicit.surfaces import fourteen_spheres


def test_floaters_keep_to_the_moving_surface_and_else_go_where_desired() -> None:
    """Equation 5: F' = -phi F, and what is given up of the desired velocity is along F_x."""
    blob = fourteen_spheres()
    draw = np.random.default_rng(0)
    places, desired = draw.normal(size=(20, 3)), draw.normal(size=(20, 3))
    rate = draw.normal(size=len(blob.parameters))
    value, gradient = blob.gradient(places)
    pull = blob.parameter_rate(places, rate) + 15.0 * value
    velocity = constrained_velocity(desired, gradient, pull)
    change = np.einsum("ri,ri->r", gradient, velocity) + blob.parameter_rate(places, rate)
    assert np.allclose(change, -15.0 * value, rtol=0.0, atol=1e-12)
    assert np.allclose(np.cross(velocity - desired, gradient), 0.0, atol=1e-12)
    assert not constrained_velocity(desired[:1], np.zeros((1, 3)), np.ones(1)).any()


def test_a_large_floater_is_near_the_surface_where_small_ones_are_far_off() -> None:
    """The second one moves by more than `short`, which is hardly anything beside its own radius."""
    ball, short = Spheres.of([0.0, 0.0, 0.0], 10.0), 0.5
    places = np.array([[0.0, 10.2, 0.0], [10.6, 0.0, 0.0], [0.0, 0.0, 12.0]])
    radii = np.array([1.0, 30.0, 1.0])
    on = attached_to_surface(ball, places, radii, 2.5, short, lambda starts: 0.5 * starts)
    distances = np.linalg.norm(on.positions, axis=1)
    assert not on.lost.any()
    assert (np.abs(distances - 10.0) < 1e-3 * radii).all()
    assert np.allclose(on.positions / distances[:, None], np.eye(3)[[1, 0, 2]])
