"""What holds for every implicit function: derivatives, ranges, boxes, and no preferred place or unit."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats
from physplace_addon.core.errors import ImplicitError
from physplace_addon.core.formulas import FormulaError
from physplace_addon.core.implicit import (
    Ellipsoids,
    FormulaFunction,
    Frozen,
    HalfSpaces,
    Quadrics,
    SphereField,
    Spheres,
    blobby_spheres,
    difference,
    intersection,
    union,
)
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.functions.transformed import Moved, Scaled
from physplace_addon.core.implicit.surface_components.component_search import components_of
from tests.core.implicit.functions.every_function import NAMES, UPRIGHT, every_function
from tests.core.implicit.surfaces import blob_of_genus, genus_on_a_grid, torus

EVERY = pytest.mark.parametrize("name", NAMES)
EVERY_UPRIGHT = pytest.mark.parametrize("name", UPRIGHT)


def by_differences(f: Callable[[Floats], Floats], at: Floats, steps: ArrayLike) -> Floats:
    """The derivatives of f by each number of `at`: five-point differences, whose error is of fourth order."""
    columns = []
    for step in np.diag(steps):
        near, far = f(at + step) - f(at - step), f(at + 2 * step) - f(at - 2 * step)
        columns.append((8.0 * near - far) / (12.0 * step.sum()))
    return np.stack(columns, axis=-1)


def agree(found: Floats, expected: Floats, size: float, kinks: float = 0.0) -> bool:
    """Whether arrays (n, ...) agree to 1e-7 of their greatest, but for a share of points at kinks."""
    off = np.abs(found - expected).reshape(len(found), -1).max(axis=1) > 1e-7 * size
    return bool(off.mean() <= kinks)


@EVERY
def test_derivatives_are_those_of_the_values(name: str, rng: np.random.Generator) -> None:
    function = every_function()[name]
    x = rng.normal(size=(150, 3))
    step = np.full(3, 2e-4)
    value, slope, bend = function.hessian(x)
    assert np.allclose(value, function.value(x), rtol=0, atol=1e-13 * np.abs(value).max())
    assert np.allclose(slope, function.gradient(x)[1], rtol=1e-14, atol=1e-14)
    steep = np.abs(slope).max()
    assert agree(slope, by_differences(function.value, x, step), steep, 0.02)
    differences = by_differences(lambda at: function.gradient(at)[1], x, step)
    assert agree(bend, differences, np.abs(bend).max() + steep, 0.04)


@EVERY
def test_derivatives_by_the_parameters_are_those_of_the_values(name: str, rng: np.random.Generator) -> None:
    function = every_function()[name]
    x, q = rng.normal(size=(150, 3)), function.parameters
    matrix = function.parameter_gradient(x)
    matrix.check_format()
    assert matrix.has_canonical_format
    scaled = matrix.toarray() * function.scales
    differences = by_differences(lambda p: function.with_parameters(p).value(x), q, 2e-4 * function.scales)
    assert agree(scaled, differences * function.scales, np.abs(scaled).max(), 0.02)
    rate = rng.normal(size=len(q)) * function.scales
    value, slope, change = function.gradient_and_rate(x, rate)
    assert agree(change, matrix @ rate, 1e-3 * np.abs(change).max())
    assert agree(change, function.parameter_rate(x, rate), 1e-3 * np.abs(change).max())
    assert np.allclose(slope, function.gradient(x)[1], rtol=1e-14, atol=1e-14)
    assert np.allclose(value, function.gradient(x)[0], rtol=1e-14, atol=1e-14)
    together = function.derivatives(x)
    for one, other in zip(together, (value, slope, matrix.toarray()), strict=True):
        assert np.allclose(one, other, rtol=0, atol=1e-13)


@EVERY
def test_ranges_hold_every_value_in_their_boxes(name: str, rng: np.random.Generator) -> None:
    for size, place in ((1.0, (0.0, 0.0, 0.0)), (1e-3, (8.0, -9.0, 7.0))):
        function = every_function(size, place)[name]
        lower = place + size * rng.normal(size=(80, 3)) * 1.5
        upper = lower + size * 10.0 ** rng.uniform(-6, 0.5, (80, 3))
        least, most = function.range(lower, upper)
        share = rng.random((120, 80, 3))
        share[:8] = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)])[:, None]
        points = np.clip(lower + share * (upper - lower), lower, upper)
        values = function.value(points.reshape(-1, 3)).reshape(120, 80)
        rounding = 1e-12 * (size if name not in ("blob", "frozen", "weighted") else 1.0)
        assert (values >= least - rounding).all()
        assert (values <= most + rounding).all()
        narrow = np.ptp(upper - lower, axis=1) < 1e-3 * size
        assert (most - least)[narrow].max() < 0.02 * max(np.abs(values).max(), size)
        everywhere = function.range(np.full((1, 3), -np.inf), np.full((1, 3), np.inf))
        assert everywhere[0][0] <= values.min()
        assert everywhere[1][0] >= values.max()


@EVERY_UPRIGHT
def test_a_box_holds_the_surface_and_little_more(name: str, rng: np.random.Generator) -> None:
    for size, place in ((1.0, (0.0, 0.0, 0.0)), (1e-3, (8.0, -9.0, 7.0)), (1e3, (0.0, 1e4, 0.0))):
        function = every_function(size, place)[name]
        box = function.box()
        x = place + size * rng.uniform(-4.0, 4.0, (20_000, 3))
        inside = x[function.value(x) < 0.0]
        if name != "planes":
            assert (inside >= box[0]).all()
            assert (inside <= box[1]).all()
            assert (np.ptp(box, axis=0) < 1.3 * np.ptp(inside, axis=0)).sum() >= 2


@EVERY
def test_the_box_of_a_level_holds_all_that_is_below_it(name: str, rng: np.random.Generator) -> None:
    function = every_function()[name]
    x = rng.uniform(-4.0, 4.0, (4_000, 3))
    for level in (-0.2, 0.0, 0.3):
        box, inside = function.box_inside(level), x[function.value(x) <= level]
        assert (inside >= box[0]).all()
        assert (inside <= box[1]).all()
    assert (function.box_inside(0.3)[0] <= function.box_inside(-0.2)[0]).all()


@EVERY_UPRIGHT
def test_nothing_depends_on_the_place_or_the_unit_of_length(name: str, rng: np.random.Generator) -> None:
    here, there = every_function()[name], every_function(2.0**-10, (8192.0, -4096.0, 512.0))[name]
    x = np.round(rng.normal(size=(300, 3)) * 2.0**20) / 2.0**20
    y = x * 2.0**-10 + (8192.0, -4096.0, 512.0)
    one, other = here.hessian(x), there.hessian(y)
    power = {"blob": 0, "frozen": 0, "weighted": 0, "formula": 2}.get(name, 1)
    for order in range(3):
        assert np.allclose(one[order], other[order] * 1024.0 ** (power - order), rtol=1e-8, atol=1e-8)
    if name != "formula":
        lengths, others = (
            own.scales * own.parameter_gradient(at).toarray() for own, at in ((here, x), (there, y))
        )
        assert np.allclose(lengths, others * 1024.0 ** (power - 1), rtol=1e-6, atol=1e-8)


def small_things(at: Floats) -> dict[str, ImplicitFunction]:
    """Functions whose surface is within 0.1 of a place, by name."""
    cube = np.vstack([np.eye(3), -np.eye(3)])
    ball = Spheres.of(at, 0.05)
    product = "(x^2 + y^2 + z^2 - 1) * ((x - 4)^2 + (y - 1)^2 + (z - 2)^2 - 0.0025)"
    there = np.eye(4)
    there[:3, 3] = at
    return {
        "sphere": ball,
        "ellipsoid": Ellipsoids.of(at, [0.05, 0.02, 0.04]),
        "quadric": Quadrics.of([1.0, 2.0, 3.0, 0, 0, 0, 0, 0, 0, -0.002], at),
        "planes": HalfSpaces.of(cube, at + 0.03 * cube),
        "a blob": blobby_spheres(0.5, at, 0.05),
        "moved": Moved(Spheres.of([0, 0, 0], 0.04), there),
        "scaled": Scaled(ball, 3.0),
        "formula of two": FormulaFunction.read(product),
        "lens": intersection([Spheres.of(at + 0.5 * way, 0.51) for way in cube[:4:3]]),
        "cap": difference(ball, [Spheres.of(at - [0.06, 0, 0], 0.08)]),
    }


@pytest.mark.parametrize("name", tuple(small_things(np.zeros(3))))
def test_each_small_component_is_found(name: str) -> None:
    at = np.array([4.0, 1.0, 2.0])
    both = union([Spheres.of([0, 0, 0], 1.0), small_things(at)[name]])
    frozen = Frozen(both, np.arange(len(both.parameters)) > 0)
    found = components_of(frozen)
    assert found.proven
    near = np.linalg.norm(found.seeds - at, axis=1) < 0.1
    assert near.any()
    assert (~near).sum() == 1


def test_a_size_that_is_dragged_through_0_comes_back_as_its_opposite() -> None:
    for function in every_function().values():
        sizes = function.positive & np.array([name != "bias" for name in function.names])
        minus = np.where(sizes, -function.parameters, function.parameters)
        turned = function.with_parameters(minus)
        assert (turned.parameters[sizes] >= 0.0).all()
        x = np.array([[0.3, 0.2, 0.1], [1.0, -1.0, 0.5]])
        assert turned.value(x) == pytest.approx(function.value(x))


@EVERY
def test_a_function_stays_as_it_is_whatever_is_done_with_its_parameters(
    name: str, rng: np.random.Generator
) -> None:
    function = every_function()[name]
    x = rng.normal(size=(20, 3))
    before, matrix = function.value(x), function.parameter_gradient(x).toarray()
    for taken in (function.parameters, function.scales, function.positive, function.box()):
        taken[...] = 0
    function.parameter_gradient(x).data[:] = 0.0
    q = function.parameters
    other = function.with_parameters(q)
    q[:] = 1.0
    for own in (function, other):
        assert np.allclose(own.value(x), before, rtol=0, atol=1e-13)
        assert np.allclose(own.parameter_gradient(x).toarray(), matrix, rtol=0, atol=1e-13)
    assert (function.scales > 0.0).all()


def test_an_ellipsoid_may_be_turned_for_ever(rng: np.random.Generator) -> None:
    ellipsoid = Ellipsoids.of([0.0, 0.0, 0.0], [1.0, 2.0, 3.0])
    x, turn = rng.normal(size=(20, 3)), np.array([0.0] * 6 + [0.06, -0.05, 0.09])
    for _ in range(300):
        ellipsoid = ellipsoid.with_parameters(ellipsoid.parameters + turn)
        assert np.linalg.norm(ellipsoid.parameters[6:]) <= np.pi + 1e-12
    angle = 300 * np.linalg.norm(turn)
    k = np.cross(turn[6:] / np.linalg.norm(turn), np.eye(3)).T
    whole = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
    assert ellipsoid.rotations[0] == pytest.approx(whole, abs=1e-9)
    differences = by_differences(
        lambda p: ellipsoid.with_parameters(p).value(x), ellipsoid.parameters, [1e-4] * 9
    )
    assert ellipsoid.parameter_gradient(x).toarray() == pytest.approx(differences, abs=1e-7)


def test_planes_bound_a_polyhedron(rng: np.random.Generator) -> None:
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    faces = np.vstack((turn, -turn))
    half = np.abs(turn).sum(axis=0)
    cube = HalfSpaces.of(faces, 5.0 + faces, (5.0, 5.0, 5.0))
    assert cube.box() == pytest.approx(np.array([5.0 - half, 5.0 + half]), abs=1e-7)
    many = rng.normal(size=(60, 3))
    ball = HalfSpaces.of(many, many / np.linalg.norm(many, axis=1)[:, None])
    few = HalfSpaces(ball.rows[:20], ball.origin, ball.size)
    x = rng.uniform(-2.0, 2.0, (20_000, 3))
    for own in (ball, few):
        box, inside = own.box(), x[own.value(x) < 0.0]
        assert (inside >= box[0]).all()
        assert (inside <= box[1]).all()
        assert (np.ptp(box, axis=0) < 1.2 * np.ptp(inside, axis=0)).all()


def test_an_open_polyhedron_is_infinite_where_it_is_open() -> None:
    prism = np.array([[1.0, 0, 0], [-1, 1, 0], [-1, -1, 0], [0, 0, -1]])
    box = HalfSpaces.of(prism, prism).box()
    assert np.isinf(box).tolist() == [[False] * 3, [False, False, True]]
    slab = HalfSpaces.of([[0, 0, 1], [0, 0, -1]], [[0, 0, 1], [0, 0, -1]]).box()
    assert np.isinf(slab).tolist() == [[True, True, False]] * 2
    for normals, places in (([[1, 0, 0], [-1, 0, 0]], [[0, 0, 0], [1, 0, 0]]), (-prism, -prism - (5, 0, 0))):
        nothing = HalfSpaces.of(normals, places)
        nothing = HalfSpaces(np.vstack((nothing.rows, [[1, 0, 0, -9], [-1, 0, 0, -9]])), nothing.origin, 1.0)
        assert (nothing.box()[0] == np.inf).all()


def test_a_quadrics_box_is_that_of_its_ellipsoid_cylinder_or_nothing() -> None:
    cylinder = Quadrics.of([1.0, 0, 4.0, 0, 0, 0, 0, 0, 0, -1.0])
    assert cylinder.box() == pytest.approx(np.array([[-1.0, -np.inf, -0.5], [1.0, np.inf, 0.5]]))
    assert (Quadrics.of([1.0, 1, 1, 0, 0, 0, 0, 0, 0, 1.0]).box()[0] == np.inf).all()
    assert np.isinf(Quadrics.of([1.0, -1, 1, 0, 0, 0, 0, 0, 0, -1.0]).box()).all()


def test_a_formulas_scales_make_its_constants_lengths() -> None:
    assert torus().scales == pytest.approx([1.2, 1.0], abs=0.15)
    squared = FormulaFunction.read("x^2 + y^2 + z^2 - A", {"A": 4.0})
    assert squared.scales == pytest.approx([4.0], rel=0.1)


def test_a_formula_without_an_end_has_an_infinite_box() -> None:
    box = FormulaFunction.read("x^2/4 + z^2 - sin(y)").box()
    assert np.isinf(box[:, 1]).all()
    assert np.isinf(FormulaFunction.read("z - x^2").box()[:, 0]).all()
    for text in (
        "x^4 - y^4 + z^4 - 1",
        "x^4 + y^4 + z^4 - x^2*y^2*z^2",
        "x^4 + y^4 + z^4 - x^2 - sin(z)*x^3",
    ):
        assert np.isinf(FormulaFunction.read(text).box()).any()
    hollow = FormulaFunction.read("1 + x^2 - x^4 - y^4 - z^4")
    assert np.isfinite(hollow.box()).all()
    assert np.isinf(hollow.box_inside(0.0)).all()
    cylinder = FormulaFunction.read("x^2/4 + (z - 5000)^2 - 1").box()
    assert cylinder[:, [0, 2]] == pytest.approx(np.array([[-2.0, 4999.0], [2.0, 5001.0]]), abs=0.01)


@pytest.mark.parametrize(
    "text",
    [
        "x^4 + y^4 + z^4 - a*x^2 - y^2 - z^2",
        "x^4 + y^2 + z^2 - x^2",
        "(x - 100)^4 + (y - 3)^4 + z^4 - (x - 100)^2 - x*y/50",
        "(x - y)^4 + (x + y - z)^4 + z^4 - sqrt(1 + a)*x^2 - z",
        "(x^2 + 9/4*y^2 + z^2 - 1)^3 - x^2*z^3 - 9/80*y^2*z^3",
    ],
)
def test_a_polynomial_whose_leading_terms_win_has_a_finite_box(text: str) -> None:
    function = FormulaFunction.read(text, {"a": 1.0})
    for box, level in ((function.box(), 0.0), (function.box_inside(0.5), 0.5)):
        assert np.isfinite(box).all()
        low, high = box.mean(axis=0) + np.ptp(box, axis=0) * np.array([[-1.0], [1.0]])
        axes = np.linspace(low, high, 60).T
        x = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        inside = x[function.value(x) <= level]
        assert (inside >= box[0]).all()
        assert (inside <= box[1]).all()
        assert (np.ptp(box, axis=0) < 3.0 * np.ptp(inside, axis=0)).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Spheres.of([[0, 0, 0]], [[np.nan]]), "sphere: radii: not a finite number"),
        (lambda: Spheres.of(np.zeros((0, 3)), []), "sphere: elements: none"),
        (lambda: SphereField.of(np.zeros((2, 3)), [1, 2, 3]), "sphere: radii: 3 of them; give one, or 2"),
        (
            lambda: SphereField.of([1.0, 2.0], 1.0),
            r"sphere: centres: an array of shape \(2,\); give 3",
        ),
        (lambda: HalfSpaces.of([0, 0, 0], [0, 0, 0]), "plane: normals: a normal of length 0"),
        (lambda: Quadrics.of(np.ones(10), size=0.0), "quadric: size: 0; set it above 0"),
        (lambda: blobby_spheres(np.inf, [0, 0, 0], 1), "blob: bias: inf"),
        (lambda: union([]), "union: functions: none"),
        (lambda: union([torus()], -1.0), "union: radius: -1; set it to 0"),
        (lambda: FormulaFunction.read("x - pi", {"pi": 3}), "constant 'pi': this name is taken"),
        (lambda: FormulaFunction.read("x - k", {"k": np.nan}), "constant 'k': nan"),
    ],
)
def test_what_has_no_meaning_is_named(make: Callable[[], None], words: str) -> None:
    with pytest.raises(ImplicitError, match=words):
        make()


def test_a_formula_is_read_as_those_of_surfaces_are() -> None:
    with pytest.raises(FormulaError, match="did you mean"):
        FormulaFunction.read("x^2 + sinn(y)")


@pytest.mark.parametrize("genus", [0, 3, 5])
def test_sample_blobs_have_their_number_of_holes(genus: int) -> None:
    assert genus_on_a_grid(blob_of_genus(genus, 1), 56) == genus


def test_a_torus_has_one_hole() -> None:
    assert genus_on_a_grid(torus(), 40) == 1


@EVERY
def test_no_slope_in_a_box_is_less_than_the_least_one(name: str, rng: np.random.Generator) -> None:
    """And in small boxes away from creases the bound is close."""
    function = every_function()[name]
    middle, direction = rng.normal(size=(80, 3)), rng.normal(size=(80, 3))
    for size in (1.0, 0.1, 1e-4):
        half = size * rng.uniform(0.1, 1.0, size=(80, 3))
        least = function.least_slope(middle - half, middle + half, direction)
        places = middle + half * rng.uniform(-1.0, 1.0, size=(60, 80, 3))
        slopes = np.einsum(
            "sni,ni->sn", function.gradient(places.reshape(-1, 3))[1].reshape(60, 80, 3), direction
        )
        assert (slopes.min(axis=0) >= least).all()
    assert np.median(slopes.min(axis=0) - least) <= 1e-3 * np.abs(slopes).max()


@EVERY
def test_middles_are_those_of_elements_wherever_the_function_is_moved_to(name: str) -> None:
    function = every_function()[name]
    middles, there = function.middles, np.array([3.0, -2.0, 5.0])
    affine = np.eye(4)
    affine[:3, 3] = there
    assert np.isfinite(middles).all()
    assert np.allclose(Moved(function, affine).middles, middles + there)
    assert np.array_equal(Scaled(function, -1.0).middles, middles)
    assert len(middles) or name in ("planes", "formula")


@pytest.mark.parametrize("name", ["spheres", "ellipsoids", "boxes", "tori", "blob"])
def test_the_middles_of_a_union_are_those_of_its_functions(name: str) -> None:
    one, other = every_function()[name], every_function()["spheres"]
    assert np.array_equal(union([one, other]).middles, np.concatenate([one.middles, other.middles]))
