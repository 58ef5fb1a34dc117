"""Dropped on a floor, curved bodies come to rest exactly, never through it and never glued to it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.placement.drops import BODIES, ENDS, four_drops
from tests.oracles.balance import best_residual, residual
from tests.oracles.rests import is_local_minimum

pytestmark = pytest.mark.slow

each_body = pytest.mark.parametrize("name", BODIES)


@each_body
def test_every_end_is_a_true_rest(name: str) -> None:
    for run in four_drops(name):
        assert run.certificate.status in ENDS, run.label
        rest = run.rest()
        assert is_local_minimum(run.paired.shape, rest), run.label
        assert abs(run.height - rest.height) <= 1e-9 * run.radius, run.label
        assert rest.tilt <= 1e-6, run.label


@each_body
def test_the_body_is_never_through_the_floor(name: str) -> None:
    for run in four_drops(name):
        assert run.clearances().min() >= -1e-9 * run.radius, run.label


@each_body
def test_no_contact_pulls_and_balanced_forces_sum_to_zero(name: str) -> None:
    for run in four_drops(name):
        contacts = run.certificate.contacts
        assert np.all(contacts.force >= 0), run.label
        if run.certificate.status.name != "BALANCED":
            continue
        centre = run.centre_of_mass
        found = residual(contacts.position, contacts.normal, contacts.force, centre, radius=run.radius)
        assert max(found) <= 1e-6, run.label
        assert best_residual(contacts.position, contacts.normal, centre, radius=run.radius) <= 1e-6


@each_body
def test_reported_contacts_lie_on_the_floor_and_push_up(name: str) -> None:
    for run in four_drops(name):
        contacts = run.certificate.contacts
        assert len(contacts) > 0, run.label
        assert np.abs(contacts.position[:, 2]).max() <= 1e-8 * run.radius, run.label
        assert np.allclose(contacts.normal, [0, 0, 1], atol=1e-12), run.label


def test_a_jack_rests_on_three_tips() -> None:
    for run in four_drops("jack"):
        contacts = run.certificate.contacts
        pressing = contacts.position[contacts.force > 1e-6]
        spots = np.unique(np.round(pressing / run.radius, 6), axis=0)
        assert len(spots) == 3, run.label
