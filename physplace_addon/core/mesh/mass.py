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
"""What a mass is spread over, its basis: the enclosed solid, or the surface itself."""


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass properties of a body in its own frame.

    center (3,): the centre of mass, lengths.
    volume: the enclosed volume (length^3), or the area (length^2) where the basis is "area".
    inertia (3, 3): about the centre for unit mass, length^2.
    basis: what the mass is spread over: "volume", the enclosed solid, or "area", the surface itself.
    density: mass over volume (or area).  given: whether the mass itself was given, whatever the basis.
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
        """Return the properties from the integrals of 1, x (3,) and x x' (3, 3), about the origin of the
        frame.
        """
        center = first / measure
        covariance = second / measure - np.outer(center, center)
        return cls(center, float(measure), inertia_of(covariance), basis)

    def moved(self, shift: Floats) -> MassProperties:
        """Return the properties of the body moved by (3,).

        Moments of a body far from the origin are taken about a place near it, and moved from there: about the
        origin, they would lose their digits when the centre's are taken away from them.
        """
        return replace(self, center=self.center + shift)

    @property
    def mass(self) -> float:
        """The mass: density times volume, or times area."""
        return self.density * self.volume

    def weighing(self, mass: float) -> MassProperties:
        """Return these properties with a given mass."""
        return replace(self, density=mass / self.volume, given=True)

    @property
    def second_moment(self) -> Floats:
        """The second moment (3, 3) about the centre for unit mass, the integral of x x', length^2."""
        moment: Floats = 0.5 * np.trace(self.inertia) * np.eye(3) - self.inertia
        return moment

    def transformed(self, affine: ArrayLike) -> MassProperties:
        """Return the properties after an affine map (4, 4) of the body.

        This is exact for the basis "volume".  For the basis "area" it is exact for similarities only, because
        the area of a sheet does not scale by one factor under other maps.
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
    """Return the inertia tensor (3, 3) of a second moment (3, 3) about the same point."""
    symmetric = 0.5 * (second_moment + second_moment.T)
    inertia: Floats = np.trace(symmetric) * np.eye(3) - symmetric
    return inertia


def signed_volumes(corners: Floats) -> Floats:
    """Return the signed volumes (t,) of the tetrahedra that triangles (t, 3, 3) span with the origin."""
    return _of_each(corners, _volumes)


def areas(corners: Floats) -> Floats:
    """Return the areas (t,) of triangles (t, 3, 3)."""
    return _of_each(corners, _areas)


def _of_each(corners: Floats, measure: Callable[[Floats], Floats]) -> Floats:
    """Return a measure (t,), a function of (corner 3, axis 3, k), of each of triangles (t, 3, 3)."""
    measures = np.empty(len(corners))
    for rows in portions(len(corners)):
        measures[rows] = measure(coordinate_arrays(corners[rows]))
    return measures


def _volumes(corners: Floats) -> Floats:
    """Return the signed volumes (k,) of triangles (corner 3, axis 3, k) with the origin."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners
    volumes: Floats = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    volumes /= 6.0
    return volumes


def _areas(corners: Floats) -> Floats:
    """Return the areas (k,) of triangles (corner 3, axis 3, k)."""
    normal = coordinate_cross(corners[1] - corners[0], corners[2] - corners[0])
    area: Floats = 0.5 * np.sqrt(np.einsum("ij,ij->j", normal, normal))
    return area


def mass_of_corners(corners: Floats, basis: str = VOLUME) -> MassProperties:
    """Return the mass of triangles given by their corners (t, 3, 3); see mass_of_triangles."""
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
    found = MassProperties.from_moments(measure, first, spread / second_factor, basis)
    return replace(found, volume=abs(measure)).moved(origin)


def mass_of_triangles(points: ArrayLike, triangles: ArrayLike, basis: str = VOLUME) -> MassProperties:
    """Return the mass of a mesh, exact except for rounding.

    Args:
        points: (n, 3), lengths.
        triangles: indices (t, 3) into the points.
        basis: "volume" for a solid inside a closed, consistently oriented surface; "area" for a sheet.

    Raises:
        PhysPlaceError: no triangles, or their measure is zero.
    """
    indices: Ints = np.asarray(triangles, dtype=np.intp).reshape(-1, 3)
    if len(indices) == 0:
        raise PhysPlaceError("mass: there are no triangles")
    return mass_of_corners(np.asarray(points, dtype=np.float64)[indices], basis)


def comparable(parts: Sequence[MassProperties]) -> bool:
    """Return whether masses can be compared: those that are not given have the same basis."""
    return len({part.basis for part in parts if not part.given}) <= 1


def combined(parts: Sequence[MassProperties]) -> MassProperties:
    """Return the mass of several bodies taken as one, each of its own density.

    Raises:
        PhysPlaceError: no parts, or parts of different bases, because volume and area cannot be added.
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
