"""Blobs of spheres and cylinders: their values to 30 digits, their odd cases, and what they cost."""

from collections.abc import Callable
from time import process_time

import mpmath as mp
import numpy as np
import pytest
from mpmath import mpf

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import Blob, CylinderField, SphereField, blobby_cylinders, blobby_spheres
from physplace_addon.core.implicit.functions.gaussians import fields
from tests.core.implicit.surfaces import blobby_cylinder, fourteen_spheres

BIAS = 0.5


def exactly(blob: Blob, x: Floats) -> mpf:
    """F at one place, written down again in 30 digits."""
    with mp.workdps(30):
        total = mp.mpf(blob.bias)
        for field in blob.fields:
            for row in field.rows.tolist():
                a, b, s = mp.matrix(row[:3]), mp.matrix(row[-4:-1]), mp.mpf(row[-1])
                e, d = b - a, mp.matrix(x.tolist()) - a
                length2 = mp.fdot(e, e)
                t = min(max(mp.fdot(d, e) / length2, 0), 1) if length2 else mp.mpf(0)
                d = d - t * e
                total -= mp.exp(-mp.fdot(d, d) / s**2)
        return total


def mixed(
    rng: np.random.Generator, count: int, radius: float, spread: float, place: float = 0.0
) -> tuple[Blob, Floats]:
    """A blob of spheres and cylinders, and places near and far from its elements."""
    a, b = (place + spread * rng.normal(size=(count, 3)) for _ in range(2))
    radii = radius * rng.uniform(0.5, 2.0, count)
    blob = Blob(BIAS, (SphereField.of(a, radii), CylinderField.of(a, b, radii)))
    near = a + radius * rng.normal(size=a.shape)
    return blob, np.vstack((near, 0.5 * (near + b), place + spread * rng.normal(size=a.shape)))


@pytest.mark.parametrize(
    ("radius", "spread", "place"),
    [(0.6, 1.0, 0.0), (0.6, 1.0, 1e4), (1e-3, 1.0, -3.0), (600.0, 1000.0, 1e4), (6e-4, 1e-3, 10.0)],
)
def test_values_are_exact_to_twelve_digits(
    radius: float, spread: float, place: float, rng: np.random.Generator
) -> None:
    blob, x = mixed(rng, 12, radius, spread, place)
    exact = [exactly(blob, at) for at in x]
    assert blob.value(x) == pytest.approx(np.array(exact, dtype=float), rel=0, abs=1e-12)
    assert blob.gradient(x)[0] == pytest.approx(np.array(exact, dtype=float), rel=0, abs=1e-12)


def test_parameters_are_the_bias_and_then_the_elements_one_by_one() -> None:
    blob = blobby_spheres(0.5, [[1, 2, 3], [4, 5, 6]], [0.7, 0.8])
    assert blob.parameters.tolist() == [0.5, 1, 2, 3, 0.7, 4, 5, 6, 0.8]
    assert blob.names[4] == "sphere 1: radius"
    assert blobby_cylinders(0.5, np.zeros((3, 3)), np.ones((3, 3)), 1).parameters.shape == (22,)
    with pytest.raises(ValueError, match="expected 9 parameters, found 8"):
        blob.with_parameters(np.ones(8))


def test_parameters_given_to_a_blob_are_copied_and_their_radii_made_positive() -> None:
    given = np.array([0.5, 1.0, 2.0, 3.0, -4.0, 5.0, 6.0, 7.0, 8.0])
    blob = blobby_spheres(0.1, np.zeros((2, 3)), 1.0).with_parameters(given)
    assert given[4] == -4.0
    assert blob.parameters.tolist() == [0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    given[1:] = 0.0
    blob.parameters[1:] = 0.0
    assert blob.parameters.tolist() == blob.with_parameters(blob.parameters).parameters.tolist()
    assert blob.fields[0].rows.tolist() == [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]


def test_many_elements_are_found_by_place_as_if_all_were_looked_at(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob, near = mixed(rng, 203, 0.1, 1.0)
    x = np.vstack((near, 5.0 + near[:7]))
    rate = rng.normal(size=len(blob.parameters))
    monkeypatch.setattr(fields, "_SORTED", len(x) * 203)
    *whole, change = *blob.hessian(x), blob.parameter_rate(x, rate)
    matrix = blob.parameter_gradient(x).toarray()
    monkeypatch.setattr(fields, "_SORTED", 0)
    blob = blob.with_parameters(blob.parameters)
    for found, expected in zip(
        (*blob.hessian(x), blob.parameter_rate(x, rate)), (*whole, change), strict=True
    ):
        assert np.allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    sparse = blob.parameter_gradient(x)
    sparse.check_format()
    assert np.allclose(sparse.toarray(), matrix, rtol=0, atol=1e-12 * np.abs(matrix).max())
    assert sparse.nnz < 0.5 * matrix.size
    assert np.allclose(blob.value(x), whole[0], rtol=0, atol=1e-12)


def test_an_element_of_radius_0_contributes_nothing(rng: np.random.Generator) -> None:
    blob, x = mixed(rng, 3, 0.5, 0.5)
    spheres, cylinders = (field.rows.copy() for field in blob.fields)
    without = Blob(BIAS, (SphereField(spheres[1:]), CylinderField(cylinders[1:])))
    spheres[0, -1] = cylinders[0, -1] = 0.0
    blob = Blob(BIAS, (SphereField(spheres), CylinderField(cylinders)))
    for found, expected in zip(blob.hessian(x), without.hessian(x), strict=True):
        assert np.allclose(found, expected, rtol=0, atol=1e-11)
    assert blob.box() == pytest.approx(without.box())
    assert np.isfinite(blob.parameter_gradient(x).data).all()
    assert np.isfinite(blob.parameter_rate(x, np.ones(len(blob.parameters)))).all()
    assert np.isfinite(blob.scales).all()


def test_elements_at_one_place_add_up(rng: np.random.Generator) -> None:
    one, x = blobby_spheres(0.25, [[1, 2, 3]], 0.7), rng.normal(1.0, 1.0, (40, 3))
    both = blobby_spheres(0.5, [[1, 2, 3]] * 2, 0.7)
    assert both.value(x) == pytest.approx(2.0 * one.value(x))
    assert both.box() == pytest.approx(one.box(), abs=1e-4)


def test_a_cylinder_without_length_is_a_sphere(rng: np.random.Generator) -> None:
    x = rng.normal(size=(60, 3))
    for length in (0.0, 1e-160, 1e-12):
        cylinder = blobby_cylinders(BIAS, [[0.1, 0, 0]], [[0.1 + length, 0, 0]], 0.6)
        for found, expected in zip(
            cylinder.hessian(x), blobby_spheres(BIAS, [[0.1, 0, 0]], 0.6).hessian(x), strict=True
        ):
            assert np.allclose(found, expected, rtol=0, atol=1e-9)
        assert np.isfinite(cylinder.parameter_gradient(x).data).all()


@pytest.mark.parametrize("bias", [-1.0, 0.0, 14.0, 20.0])
def test_no_surface_is_an_empty_box(bias: float) -> None:
    blob = fourteen_spheres()
    blob = blob.with_parameters(np.concatenate(([bias], blob.parameters[1:])))
    assert (blob.box() == [[np.inf] * 3, [-np.inf] * 3]).all()


def test_elements_too_far_apart_to_reach_the_bias_together_leave_no_surface() -> None:
    assert (blobby_spheres(1.5, [[0, 0, 0], [9, 9, 9]], 0.5).box()[0] == np.inf).all()
    assert np.isfinite(blobby_spheres(1.5, [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]], 0.5).box()).all()


def test_a_blob_of_nothing_is_its_bias_everywhere() -> None:
    for blob in (Blob(BIAS, ()), blobby_spheres(BIAS, np.zeros((0, 3)), np.zeros(0))):
        x = np.zeros((4, 3))
        assert [part.tolist() for part in blob.gradient(x)] == [[BIAS] * 4, [[0.0] * 3] * 4]
        assert blob.parameter_gradient(x).toarray().tolist() == [[1.0]] * 4
        assert blob.parameter_rate(x, np.array([3.0])).tolist() == [3.0] * 4
        assert (blob.box()[0] == np.inf).all()
        assert blob.range(x, x + 1.0)[0].tolist() == [BIAS] * 4


def test_the_box_of_one_element_touches_it() -> None:
    reach = 0.6 * np.sqrt(np.log(2.0))
    box = blobby_cylinder().box()
    assert box == pytest.approx(np.array([[-1 - reach, -reach, -reach], [1 + reach, reach, reach]]), abs=1e-3)


def test_distances_of_segments_to_boxes_are_within_their_bounds(rng: np.random.Generator) -> None:
    """And off by no more than half a diagonal, or the whole of it."""
    a, b = rng.normal(size=(300, 3)), rng.normal(size=(300, 3))
    b[:40], b[40:80, 0] = a[:40], a[40:80, 0]
    lower = rng.normal(size=(300, 3))
    upper = lower + rng.exponential(0.5, (300, 3)) * (rng.random((300, 3)) < 0.8)
    both = CylinderField.of(a, b, np.ones(300)).exponents(lower, upper)
    least, greatest = (np.sqrt(own.diagonal()) for own in both)
    t = np.linspace(0.0, 1.0, 4001)[:, None, None]
    places = a + t * (b - a)
    gaps = np.linalg.norm(places - np.clip(places, lower, upper), axis=-1).min(axis=0)
    diagonal = np.linalg.norm(upper - lower, axis=1)
    assert (least <= gaps + 1e-12).all()
    assert (least >= gaps - 0.5 * diagonal - 1e-3).all()
    corners = np.where(np.arange(8)[:, None, None] >> np.arange(3) & 1, upper, lower)
    reach = np.linalg.norm(places[::40, None] - corners, axis=-1).min(axis=0).max(axis=0)
    assert (greatest >= reach - 2e-2).all()
    assert (greatest <= reach + diagonal + 2e-2).all()


def test_no_points_are_no_values() -> None:
    x = np.zeros((0, 3))
    for blob in (fourteen_spheres(), blobby_cylinder()):
        assert [part.shape for part in blob.hessian(x)] == [(0,), (0, 3), (0, 3, 3)]
        assert blob.parameter_gradient(x).shape == (0, len(blob.parameters))


def quickest(function: Callable[[], Floats | tuple[Floats, Floats]], repeats: int = 40) -> float:
    times = []
    for _ in range(repeats):
        start = process_time()
        for _ in range(5):
            function()
        times.append(process_time() - start)
    return min(times)


def test_a_gradient_costs_little_more_than_its_products_and_exponentials(rng: np.random.Generator) -> None:
    blob, x = fourteen_spheres(), rng.normal(size=(500, 3))
    monomials, powers, sums = rng.normal(size=(5, 500)), -rng.random((14, 5)), rng.normal(size=(5, 14))

    def bare() -> Floats:
        result: Floats = sums @ np.exp(powers @ monomials)
        return result

    assert quickest(lambda: blob.gradient(x)) < 8.0 * quickest(bare)


def test_the_cost_of_many_elements_grows_with_the_near_ones_only(rng: np.random.Generator) -> None:
    x = np.column_stack((np.linspace(0.0, 400.0, 4_000), rng.normal(size=(4_000, 2))))
    few, many = (
        blobby_spheres(BIAS, np.column_stack((np.linspace(0, 400, count), np.zeros((count, 2)))), 0.5)
        for count in (200, 1_600)
    )
    assert quickest(lambda: many.gradient(x), 3) < 4.0 * quickest(lambda: few.gradient(x), 3)
