"""Mass properties of a body of uniform density, from its triangles.

The divergence theorem turns the integrals over a closed mesh into sums over the tetrahedra (o, a, b, c) that
its triangles span with a point o: with s = a + b + c and V = a . (b x c) / 6 signed,

    volume  sum V,   first moment  sum V s / 4,   second moment  sum V (a a' + b b' + c c' + s s') / 20.

They are exact for polyhedra. The sums are taken about the centre of the mesh's box, so a mesh far from the
origin loses no digits. A surface that encloses nothing is taken as a sheet of uniform thickness, triangle
area A:

    area  sum A,   first moment  sum A s / 3,   second moment  sum A (a a' + b b' + c c' + s s') / 12.

The second moment C about the centre (per unit mass) and the inertia tensor I determine each other,
I = tr(C) 1 - C and C = tr(I)/2 1 - I, and C transforms under x -> L x as L C L'.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints, box_of, portions
from ..errors import PhysPlaceError
from ..vectors import coordinate_arrays, coordinate_cross

VOLUME, AREA = "volume", "area"


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Centre of mass (3,), measure, inertia tensor (3, 3) about the centre for unit mass, and their basis.

    `basis` says what the mass is spread over: "volume", the enclosed solid, or "area", the surface itself.
    `volume` is that measure: the enclosed volume (units^3), or the area (units^2) where the basis is "area".
    `density` is the mass of a unit of it. `given`: the mass itself is known, whatever it is spread over.
    """

    center: Floats
    volume: float
    inertia: Floats
    basis: str = VOLUME
    density: float = 1.0
    given: bool = False

    @classmethod
    def from_moments(
        cls, measure: float, first: Floats, second: Floats, basis: str = VOLUME
    ) -> MassProperties:
        """From the integrals of 1, x (3,) and x x' (3, 3) over the body, about the origin of its frame."""
        center = first / measure
        covariance = second / measure - np.outer(center, center)
        return cls(center, float(measure), inertia_of(covariance), basis)

    @property
    def mass(self) -> float:
        """The mass: density times volume, or times area."""
        return self.density * self.volume

    def weighing(self, mass: float) -> MassProperties:
        """These with a mass that is given."""
        return replace(self, density=mass / self.volume, given=True)

    @property
    def second_moment(self) -> Floats:
        """The second moment (3, 3) about the centre for unit mass, integral of x x'."""
        moment: Floats = 0.5 * np.trace(self.inertia) * np.eye(3) - self.inertia
        return moment

    def transformed(self, affine: ArrayLike) -> MassProperties:
        """The mass after an affine map (4, 4) of the body.

        Exact for the basis "volume". A sheet's area does not transform so simply: for the basis "area" this
        is exact for similarities only (the area grows by the scale squared), else use the transformed
        surface.
        """
        matrix = np.asarray(affine, dtype=np.float64)
        linear = matrix[:3, :3]
        scale = abs(float(np.linalg.det(linear)))
        measure = self.volume * (scale if self.basis == VOLUME else scale ** (2.0 / 3.0))
        covariance = linear @ self.second_moment @ linear.T
        center = linear @ self.center + matrix[:3, 3]
        moved = replace(self, center=center, volume=measure, inertia=inertia_of(covariance))
        return moved.weighing(self.mass) if self.given else moved


def inertia_of(second_moment: Floats) -> Floats:
    """The inertia tensor (3, 3) of a second moment (3, 3) about the same point."""
    symmetric = 0.5 * (second_moment + second_moment.T)
    inertia: Floats = np.trace(symmetric) * np.eye(3) - symmetric
    return inertia


def signed_volumes(corners: Floats) -> Floats:
    """Signed volumes (t,) of the tetrahedra that triangles (t, 3, 3) span with the origin."""
    return _of_each(corners, _volumes)


def areas(corners: Floats) -> Floats:
    """Areas (t,) of triangles (t, 3, 3)."""
    return _of_each(corners, _areas)


def _of_each(corners: Floats, measure: Callable[[Floats], Floats]) -> Floats:
    """A measure of each of some triangles (t, 3, 3)."""
    measures = np.empty(len(corners))
    for rows in portions(len(corners)):
        measures[rows] = measure(coordinate_arrays(corners[rows]))
    return measures


def _volumes(corners: Floats) -> Floats:
    """Signed volumes (k,) of triangles (corner 3, axis 3, k)."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners
    volumes: Floats = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    volumes /= 6.0
    return volumes


def _areas(corners: Floats) -> Floats:
    """Areas (k,) of triangles (corner 3, axis 3, k)."""
    normal = coordinate_cross(corners[1] - corners[0], corners[2] - corners[0])
    area: Floats = 0.5 * np.sqrt(np.einsum("ij,ij->j", normal, normal))
    return area


def mass_of_corners(corners: Floats, basis: str = VOLUME) -> MassProperties:
    """The mass of triangles given by their corners (t, 3, 3); see mass_of_triangles."""
    lower, upper = box_of(corners.reshape(-1, 3))
    origin = 0.5 * (lower + upper)
    weigh, first_factor, second_factor = (_volumes, 4.0, 20.0) if basis == VOLUME else (_areas, 3.0, 12.0)
    measure, nine_sums, products = 0.0, np.zeros(9), np.zeros((9, 9))
    for rows in portions(len(corners)):
        local = coordinate_arrays(corners[rows]) - origin[:, None]
        weight, nine = weigh(local), local.reshape(9, -1)
        measure += float(weight.sum())
        nine_sums += nine @ weight
        products += (weight * nine) @ nine.T
    if measure == 0.0:
        raise PhysPlaceError(f"mass: the triangles have no {basis}")
    first = nine_sums.reshape(3, 3).sum(axis=0) / first_factor
    blocks = products.reshape(3, 3, 3, 3)  # of a, b, c; all together are that of s
    spread = np.einsum("aiaj->ij", blocks) + blocks.sum(axis=(0, 2))
    about_origin = MassProperties.from_moments(measure, first, spread / second_factor, basis)
    center = about_origin.center + origin
    return MassProperties(center, abs(measure), about_origin.inertia, basis)


def mass_of_triangles(points: ArrayLike, triangles: ArrayLike, basis: str = VOLUME) -> MassProperties:
    """The mass of a mesh: points (n, 3), triangles (t, 3) of indices into them.

    `basis` "volume" takes the triangles as a closed, consistently oriented surface (either way round) full of
    matter; "area" takes them as a sheet. Exact but for rounding. Raises PhysPlaceError if there is no such
    measure (an empty mesh, zero volume).
    """
    indices: Ints = np.asarray(triangles, dtype=np.intp).reshape(-1, 3)
    if len(indices) == 0:
        raise PhysPlaceError("mass: there are no triangles")
    return mass_of_corners(np.asarray(points, dtype=np.float64)[indices], basis)


def comparable(parts: Sequence[MassProperties]) -> bool:
    """Whether masses can be compared: those that are not given are spread over the same, volume or area."""
    return len({part.basis for part in parts if not part.given}) <= 1


def combined(parts: Sequence[MassProperties]) -> MassProperties:
    """The mass of several bodies taken as one, each of its own density.

    Raises PhysPlaceError for no parts, or for parts that are not comparable (volume and area cannot be
    added).
    """
    bases = {part.basis for part in parts if not part.given} or {part.basis for part in parts[:1]}
    if len(bases) != 1:
        raise PhysPlaceError(f"mass: cannot add masses of bases {sorted(bases)}")
    masses = np.array([part.mass for part in parts])
    measure, total = sum(part.volume for part in parts), float(masses.sum())
    share = masses / total
    centers = np.array([part.center for part in parts])
    center = share @ centers
    arms = centers - center
    covariance = np.einsum("p,pi,pj->ij", share, arms, arms)
    covariance = covariance + np.einsum("p,pij->ij", share, np.array([part.second_moment for part in parts]))
    given = all(part.given for part in parts)
    return MassProperties(center, measure, inertia_of(covariance), bases.pop(), total / measure, given)
