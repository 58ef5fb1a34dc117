"""Unions, intersections and differences, sharp and smooth."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.implicit import (
    FormulaFunction,
    Frozen,
    HalfSpaces,
    Spheres,
    blobby_spheres,
    complement,
    difference,
    intersection,
    union,
)
from physplace_addon.core.implicit.functions.minima import least_mean, smooth_minimum
from tests.core.implicit.surfaces import torus

RADIUS = 0.5


@pytest.fixture
def parts(rng: np.random.Generator) -> list[Spheres]:
    centres = 0.7 * rng.normal(size=(4, 3))
    return [Spheres.of(centre, radius) for centre, radius in zip(centres, (0.5, 0.6, 0.7, 0.8), strict=True)]


@pytest.fixture
def x(rng: np.random.Generator) -> Floats:
    return rng.normal(size=(400, 3))


@pytest.mark.parametrize("radius", [0.0, RADIUS])
def test_functions_that_do_not_matter_are_not_asked_for_their_slopes(
    monkeypatch: pytest.MonkeyPatch, radius: float
) -> None:
    asked: list[int] = []
    gradients = Spheres.gradients

    def counted(self: Spheres, x: Floats, which: Ints | slice) -> tuple[Floats, Floats]:
        asked.append(int(self.rows[0, 0]))
        return gradients(self, x, which)

    monkeypatch.setattr(Spheres, "gradients", counted)
    row = union([Spheres.of([float(5 * i), 0.0, 0.0], 1.0) for i in range(4)], radius)
    row.gradient(np.array([[9.0, 0.1, 0.2], [10.5, 1.0, 0.0]]))
    assert asked == [10]


def test_sharp_ones_are_the_least_and_the_greatest(parts: Sequence[Spheres], x: Floats) -> None:
    values = np.stack([part.value(x) for part in parts])
    assert np.array_equal(union(parts).value(x), values.min(axis=0))
    assert np.array_equal(intersection(parts).value(x), values.max(axis=0))
    carved = difference(parts[0], parts[1:]).value(x)
    assert np.array_equal(carved, np.maximum(values[0], -values[1:].min(axis=0)))


def test_a_smooth_union_is_rockwood_and_owens_blend_on_every_level(
    parts: Sequence[Spheres], x: Floats
) -> None:
    values, blend = np.stack([part.value(x) for part in parts]), union(parts, RADIUS).value(x)
    depths = np.maximum(1.0 - (values - blend) / RADIUS, 0.0)
    assert np.allclose((depths**3).sum(axis=0), 1.0, rtol=0, atol=1e-12)


def test_a_smooth_union_is_the_sharp_one_where_nothing_is_near(parts: Sequence[Spheres], x: Floats) -> None:
    values = np.sort([part.value(x) for part in parts], axis=0)
    alone = values[1] >= values[0] + RADIUS
    blend = union(parts, RADIUS).value(x)
    assert 20 < alone.sum() < 380
    assert np.array_equal(blend[alone], values[0][alone])
    assert (blend[~alone] < values[0][~alone]).all()
    assert (blend >= values[0] - RADIUS * (1.0 - 4.0 ** (-1 / 3)) - 1e-12).all()


def test_the_order_of_the_parts_does_not_matter(parts: Sequence[Spheres], x: Floats) -> None:
    one, other = (union(order, RADIUS).hessian(x) for order in (parts, parts[::-1]))
    for found, expected in zip(one, other, strict=True):
        assert np.allclose(found, expected, rtol=0, atol=1e-10)


def test_solids_of_one_kind_blend_as_those_given_one_by_one(parts: Sequence[Spheres], x: Floats) -> None:
    together = Spheres(np.concatenate([part.rows for part in parts]))
    one, other = union([together], RADIUS), union(parts, RADIUS)
    rate = np.arange(17.0)
    assert np.array_equal(one.parameters, other.parameters)
    for found, expected in zip(one.hessian(x), other.hessian(x), strict=True):
        assert np.allclose(found, expected, rtol=0, atol=1e-10)
    found, expected = (own.parameter_gradient(x).toarray() for own in (one, other))
    assert np.allclose(found, expected, rtol=0, atol=1e-12)
    assert np.allclose(one.parameter_rate(x, np.asarray(rate, float)), found @ rate, rtol=0, atol=1e-10)


def test_second_derivatives_have_no_jump_where_a_blend_begins() -> None:
    planes = [HalfSpaces.of(normal, [0, 0, 0]) for normal in ([1, 0, 0], [0, 1, 0])]
    blend = union(planes, RADIUS)
    edge = np.array([[0.3, 0.3 + RADIUS, 0.0]]) + np.outer(np.linspace(-1e-6, 1e-6, 21), [0, 1, 0])
    bend = blend.hessian(edge)[2]
    assert np.abs(np.diff(bend, axis=0)).max() < 1e-5
    inside = np.array([[0.0, 0.0, 0.0]])
    assert np.abs(blend.hessian(inside)[2]).max() > 0.1


def test_a_blend_is_no_steeper_than_its_parts(parts: Sequence[Spheres], x: Floats) -> None:
    for blend in (union(parts, RADIUS), intersection(parts, RADIUS)):
        assert np.linalg.norm(blend.gradient(x)[1], axis=1).max() <= 1.0 + 1e-12


def test_what_is_out_of_two_is_the_opposite_of_what_is_in_either(parts: Sequence[Spheres], x: Floats) -> None:
    outside = intersection([complement(part) for part in parts], RADIUS)
    assert np.allclose(outside.value(x), -union(parts, RADIUS).value(x), rtol=0, atol=1e-15)


def test_far_parts_have_no_entry(parts: Sequence[Spheres]) -> None:
    both = union([*parts, Spheres.of([50.0, 0, 0], 1.0)], RADIUS)
    x = np.array([[50.0, 0.0, 1.0]])
    assert both.parameter_gradient(x).indices.tolist() == [17, 18, 19, 20]


def test_a_blend_of_any_functions_may_be_frozen_in_part(parts: Sequence[Spheres], x: Floats) -> None:
    whole = union([parts[0], torus(), complement(complement(blobby_spheres(0.5, [0, 0, 1], 0.5)))], 0.1)
    free = np.arange(len(whole.parameters)) % 2 == 0
    frozen = Frozen(whole, free)
    assert frozen.names == tuple(name for name, own in zip(whole.names, free, strict=True) if own)
    dense = whole.parameter_gradient(x).toarray()
    assert np.array_equal(frozen.parameter_gradient(x).toarray(), dense[:, free])
    moved = frozen.with_parameters(frozen.parameters + 0.01)
    assert np.array_equal(moved.whole.parameters[~free], whole.parameters[~free])
    assert np.allclose(moved.parameters, frozen.parameters + 0.01, rtol=0, atol=1e-15)


def test_parts_far_apart_or_without_overlap_have_boxes_of_their_own() -> None:
    far = [Spheres.of([0, 0, 0], 1.0), Spheres.of([9, 0, 0], 1.0)]
    assert union(far).box().tolist() == [[-1, -1, -1], [10, 1, 1]]
    assert union(far, RADIUS).box() == pytest.approx(
        np.array([[-1, -1, -1], [10, 1, 1.0]]), abs=0.21 * RADIUS
    )
    assert (intersection(far).box()[0] == np.inf).all()


def test_a_rounded_cube_on_its_edge_has_a_finite_box() -> None:
    turn = np.linalg.qr(np.array([[1.0, 2, 3], [0, 1, 4], [5, 6, 0]]))[0]
    faces = np.vstack((turn, -turn))
    half = np.abs(turn).sum(axis=0)
    box = intersection([HalfSpaces.of(faces, faces)], RADIUS).box()
    assert (np.abs(box) <= half + 1e-5).all()
    assert (np.abs(box) >= 0.7 * half).all()


def test_a_part_that_is_infinite_or_undefined_somewhere_spoils_nothing_else() -> None:
    both = union([FormulaFunction.read("log(x) + y^2 + 2"), Spheres.of([0, 0, 0], 1.0)], RADIUS)
    value, slope = both.gradient(np.array([[-1.0, 0, 0], [0, 0, 0], [9.0, 0, 0]]))
    assert np.isnan(value[0])
    assert value[1] == -np.inf
    assert value[2] == pytest.approx(np.log(9.0) + 2.0)
    assert slope[2] == pytest.approx([1.0 / 9.0, 0, 0])
    poles = union([FormulaFunction.read("1/x^2"), FormulaFunction.read("2/x^2")], RADIUS)
    assert poles.value(np.zeros((1, 3))).tolist() == [np.inf]


def blended_slopes(f: Floats, slopes: Floats) -> Floats:
    """Slopes (...,) of smooth minima of radius 1, for functions (..., k) with slopes (k,)."""
    weights = smooth_minimum(f.reshape(-1, f.shape[-1]), 1.0).weights
    return np.asarray((weights @ slopes).reshape(f.shape[:-1]))


@pytest.mark.parametrize("count", [2, 3, 5])
def test_the_least_mean_slope_is_that_of_the_worst_values_between_bounds(count: int) -> None:
    """Of two functions it is met, of more it is no more than any, and seldom far below."""
    rng = np.random.default_rng(count)
    least = rng.uniform(-0.6, 0.6, size=(200, count))
    most, slopes = least + rng.uniform(0.0, 0.3, size=least.shape), rng.normal(size=least.shape)
    bound = least_mean(slopes, least, most, 1.0)
    corners = np.array(list(product((0.0, 1.0), repeat=count)))
    worst = [
        blended_slopes(low + corners * (high - low), own).min()
        for low, high, own in zip(least, most, slopes, strict=True)
    ]
    assert (bound <= np.array(worst) + 1e-12).all()
    if count == 2:
        assert bound == pytest.approx(worst, abs=1e-9)
    assert np.median(np.array(worst) - bound) <= 0.1
