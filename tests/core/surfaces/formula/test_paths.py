"""Tubes along formulas in t: exact to third order, bounded, and refused with the reason."""

import mpmath as mp
import numpy as np
import pytest
from mpmath import mpf

from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.formulas import Formulas
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.analytic import swept
from physplace_addon.core.surfaces.analytic.tube import Tube
from tests.core.formulas.random_formulas import ONE, TWO
from tests.core.surfaces.analytic.exact_bodies import samples
from tests.core.surfaces.curves.trigonometric_paths import trefoil
from tests.core.surfaces.point_distances import distances

KNOT = {
    **{"path.x": "sin(t) + a*sin(2*t)", "path.y": "cos(t) - a*cos(2*t)", "path.z": "-sin(3*t)"},
    **{"path.t": "0, 2*pi, periodic", "radius": 0.5, "a": 2.0},
}
ROD = {"path.x": "t", "path.y": "t^2/4", "path.z": "0", "path.t": "-1, 1", "radius": 0.2}


@pytest.mark.parametrize("name", sorted({*ONE, *TWO} - {"abs", "min", "max"}))
def test_third_derivatives_agree_with_thirty_digits(name: str) -> None:
    inner = "1.2 + t^2" if name == "acosh" else "0.3 + t^2/2"
    text = f"t*{name}({inner})" if name in ONE else f"{name}({inner}, 1 + t)"

    def function(t: mpf) -> mpf:
        x = mp.mpf(1.2) + t**2 if name == "acosh" else mp.mpf(0.3) + t**2 / 2
        return t * ONE[name](x) if name in ONE else TWO[name](x, 1 + t)

    formulas = Formulas.read([text], ("t",))
    with mp.workdps(50):
        exactly = float(mp.diff(function, mp.mpf(0.4), 3))
    assert formulas.thirds(np.array([0.4]))[0, 0] == pytest.approx(exactly, rel=1e-12)
    bound = formulas.third_ranges(np.array([0.39]), np.array([0.41]))[0]
    assert bound is not None
    assert bound.lower[0] <= exactly <= bound.upper[0]
    assert bound.upper[0] - bound.lower[0] < 1.0 + 2.0 * abs(exactly)


def test_a_knot_of_formulas_is_the_knot() -> None:
    typed, known = kinds.build("tube", KNOT), swept.tube(trefoil(), 0.5)
    assert typed.mass.volume == pytest.approx(known.mass.volume, rel=1e-12)
    t = np.linspace(0.1, 6.2, 50)
    one, other = typed.surfaces[0], known.surfaces[0]
    assert isinstance(one, Tube)
    assert isinstance(other, Tube)
    ours, theirs = one.path, other.path
    np.testing.assert_allclose(ours.jet(t).second, theirs.jet(t).second, atol=1e-13)
    np.testing.assert_allclose(ours.third(t), theirs.third(t), atol=1e-12)


@pytest.mark.parametrize("definition", [KNOT, ROD])
def test_a_tube_of_formulas_lies_within_its_triangles_grown_by_their_bounds(
    definition: dict[str, float | str], rng: np.random.Generator
) -> None:
    tube = kinds.build("tube", definition)
    mesh = tube.tessellate(tolerance=0.02 * tube.size)
    on_it = tube.surfaces[0].derivatives(*samples(tube.surfaces[0], 300, rng)).point
    assert np.all((distances(on_it, mesh.points[mesh.corners]) - mesh.bound).min(axis=1) <= 0.0)
    assert mesh.bound.max() <= 0.02 * tube.size


@pytest.mark.parametrize(
    ("change", "subject", "says"),
    [
        *(({"path.z": "sqrt(t)"}, "path.z", "near t = 0"), ({"path.z": "q"}, "path.z", "character 1")),
        *(({"path.t": "0, 1, periodic"}, "path", "do not meet"), ({"t": 2.0}, "t", "another name")),
        *(({"radius": 3.0}, "radius", "bends"), ({"path": "Curve"}, "path", "beside path.x")),
        *(
            (
                {"path.x": "t^2", "path.y": "t^3", "path.t": "-1, 1", "path.z": "0"},
                "path.x, y, z",
                "stands still",
            ),
        ),
        ({"path.y": None}, "path.y", "expected text"),
    ],
)
def test_what_is_no_path_is_refused_with_the_property_and_the_reason(
    change: dict[str, float | str | None], subject: str, says: str
) -> None:
    with pytest.raises(SurfaceError) as caught:
        kinds.build("tube", {**KNOT, **change})
    assert (caught.value.kind, caught.value.subject) == ("tube", subject)
    assert says in str(caught.value)
