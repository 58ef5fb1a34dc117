"""Contact forces balance gravity where they can and never glue."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.mechanics.balance import balance, even_forces

WEIGHT = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
FEET = np.array([[1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, -1.0], [-1.0, 1.0, -1.0]])
UP = np.array([0.0, 0.0, 1.0])


def rows(normals: Floats, arms: Floats) -> Floats:
    """The contacts' gradients (k, 6)."""
    normals = np.broadcast_to(normals, np.shape(arms))
    return np.concatenate([normals, np.cross(arms, normals)], axis=1)


@pytest.mark.parametrize("count", [1, 4, 9, 40])
def test_the_residual_is_the_least_that_pushing_forces_leave(count: int) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        gradients, wrench = rng.normal(size=(count, 6)), rng.normal(size=6)
        forces, residual = balance(wrench, gradients)
        push = gradients @ residual
        assert (forces >= 0.0).all()
        assert np.abs(residual - wrench - gradients.T @ forces).max() < 1e-12
        assert push.min() >= -1e-10  # no contact forbids the motion along the residual
        assert np.abs(push * forces).max() < 1e-9


def test_without_contacts_the_whole_weight_is_unbalanced() -> None:
    forces, residual = balance(WEIGHT, np.zeros((0, 6)))
    assert len(forces) == 0
    assert np.array_equal(residual, WEIGHT)
    assert len(even_forces(WEIGHT, np.zeros((0, 6)))) == 0


def test_a_table_with_four_feet_rests_a_quarter_on_each() -> None:
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        assert np.abs(even_forces(WEIGHT, rows(UP, FEET[order])) - 0.25).max() < 1e-9


def test_even_forces_leave_no_more_than_the_best_balance() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        gradients = rng.normal(size=(12, 6))
        for wrench in (-gradients.T @ rng.random(12), rng.normal(size=6)):
            forces = even_forces(wrench, gradients)
            best = np.linalg.norm(balance(wrench, gradients)[1])
            assert (forces >= 0.0).all()
            assert np.linalg.norm(wrench + gradients.T @ forces) <= best + 1e-9


def test_even_forces_balance_exactly_what_can_be_balanced() -> None:
    for seed in range(10):
        gradients = np.random.default_rng(seed).normal(size=(9, 6))
        wrench = -gradients.T @ np.random.default_rng(seed + 100).random(9)
        assert np.abs(wrench + gradients.T @ even_forces(wrench, gradients)).max() < 1e-12


def wall(bodies: int, contacts: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The weights and gradients of bodies stacked one on another, each pair at some contacts."""
    gradients = np.zeros((bodies, contacts, bodies, 6))
    for body in range(bodies):
        arms = np.concatenate([rng.uniform(-0.5, 0.5, (contacts, 2)), np.zeros((contacts, 1))], axis=1)
        gradients[body, :, body] = rows(UP, arms)
        if body:
            gradients[body, :, body - 1] = -rows(UP, arms)
    return np.tile(WEIGHT, bodies), gradients.reshape(bodies * contacts, 6 * bodies)


def test_even_forces_of_many_bodies_balance_and_have_the_least_norm() -> None:
    for seed in range(4):
        wrench, gradients = wall(20, 16, np.random.default_rng(seed))
        forces = even_forces(wrench, gradients)
        assert (forces >= 0.0).all()
        assert np.abs(wrench + gradients.T @ forces).max() < 1e-8
        pressing = forces > 1e-6
        least = np.linalg.lstsq(gradients[pressing].T, -wrench, rcond=1e-9)[0]
        assert np.abs(forces[pressing] - least).max() < 1e-5
        potential = np.linalg.lstsq(gradients[pressing], least, rcond=1e-9)[0]
        assert (gradients[~pressing] @ potential <= 1e-5).all()  # no idle contact would make them more even


def test_what_many_contacts_cannot_balance_is_left_as_the_best_balance_leaves_it() -> None:
    rng = np.random.default_rng(7)
    wrench, gradients = wall(10, 8, rng)
    wrench = wrench + 0.1 * rng.normal(size=60)
    forces = even_forces(wrench, gradients)
    assert np.abs(gradients.T @ (forces - balance(wrench, gradients)[0])).max() < 1e-6


def test_only_the_svd_glues_a_table_whose_centre_of_mass_is_outside() -> None:
    inside = rows(UP, FEET + np.array([0.99, 0.0, 0.0]))
    outside = rows(UP, FEET + np.array([1.01, 0.0, 0.0]))
    forces, residual = balance(WEIGHT, outside, "svd")
    assert forces.min() < -1e-3
    assert np.abs(residual).max() < 1e-12
    forces, residual = balance(WEIGHT, outside)
    assert forces.min() >= 0.0
    assert np.linalg.norm(residual) > 1e-3
    assert np.abs(balance(WEIGHT, inside)[1]).max() < 1e-12
    assert residual[4] < 0.0  # it tips over its feet at -x + 1.01
