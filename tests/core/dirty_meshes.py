"""Dirty meshes by seed: Blender's primitives, each kind of dirt alone and several mixed, and the names of it
that a report must give.

Seeds below the number of kinds of dirt have one kind each. What is done follows an order (shape, normals,
doubles, debris), so that no kind undoes another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from tests.core import polygon_meshes as shapes
from tests.core.polygon_meshes import Faces
from tests.oracles.triangles import crossings

NAMES = {
    "loose": "belong to no face",
    "placeless": "have no place",
    "doubled vertices": "doubled vertices",
    "needles": "no area",
    "doubled faces": "doubled faces",
    "turned": "turned to agree",
    "inside out": "inside-out",
    "cavity": "cavities",
    "nested": "add no mass",
    "border": "open borders",
    "fins": "more than two faces",
    "weight": "its mass is",
    "crossing": "passes through itself",
    "overlying": "on one another",
}


@dataclass
class Mesh:
    """Points, faces of any number of corners, and the names of the dirt.

    middle: a place inside a solid. shell: how many faces, the first, are the shape's own. wrong: faces that
    were turned over.
    """

    points: list[np.ndarray]
    faces: Faces
    closed: bool
    middle: np.ndarray
    shell: int
    dirt: set[str] = field(default_factory=set)
    wrong: set[int] = field(default_factory=set)

    def add(self, points: np.ndarray, faces: Faces) -> None:
        """Put other faces beside these."""
        shift = len(self.points)
        self.points += list(points)
        self.faces += [[shift + i for i in face] for face in faces]


@dataclass(frozen=True)
class Dirty:
    """Points (n, 3), triangles (t, 3), and the names, of NAMES, of the dirt in them."""

    label: str
    points: np.ndarray
    triangles: np.ndarray
    dirt: frozenset[str]

    @property
    def seen(self) -> np.ndarray:
        """The triangles (k, 3, 3) that can be seen: those at places that are numbers."""
        corners = self.points[self.triangles]
        result: np.ndarray = corners[np.isfinite(corners).all(axis=(1, 2))]
        return result

    def moved(self, scale: float, shift: np.ndarray) -> Dirty:
        """The same dirt in another size and place."""
        return replace(self, label=f"{self.label}, at {scale:g}", points=scale * self.points + shift)


Dirt = Callable[[Mesh, np.random.Generator], None]


def crossing(mesh: Mesh, rng: np.random.Generator) -> None:
    """A turned copy of the whole, that goes through it."""
    points = np.array(mesh.points)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    mesh.add(points @ turn.T + 0.15 * rng.normal(size=3), [list(face) for face in mesh.faces])


def nested(mesh: Mesh, rng: np.random.Generator) -> None:
    """A cube inside, its outside out."""
    points, faces = shapes.cube()
    mesh.add(0.08 * points + mesh.middle, faces)
    mesh.dirt.add("nested")


def cavity(mesh: Mesh, rng: np.random.Generator) -> None:
    """A cube inside, its outside in."""
    points, faces = shapes.cube()
    mesh.add(0.08 * points + mesh.middle, [face[::-1] for face in faces])
    mesh.dirt.add("cavity")


def holes(mesh: Mesh, rng: np.random.Generator) -> None:
    """A few faces are missing."""
    gone = rng.choice(len(mesh.faces), size=max(1, len(mesh.faces) // 12), replace=False)
    mesh.faces = [face for i, face in enumerate(mesh.faces) if i not in gone]
    mesh.shell = len(mesh.faces)
    mesh.dirt.add("border")
    mesh.closed = False


def fins(mesh: Mesh, rng: np.random.Generator) -> None:
    """A triangle stands on an edge between two faces."""
    pairs = [edge for edge, count in _edges(mesh.faces).items() if count == 2]
    a, b = sorted(pairs[rng.integers(len(pairs))])
    middle = 0.5 * (mesh.points[a] + mesh.points[b])
    outward = middle - np.mean(mesh.points, axis=0)
    tip = middle + 0.5 * outward + [0.0, 0.0, 0.2]
    mesh.points.append(tip)
    mesh.faces.append([a, b, len(mesh.points) - 1])
    mesh.dirt |= {"fins", "border"}
    mesh.closed = False


def overlying(mesh: Mesh, rng: np.random.Generator) -> None:
    """A copy of a face, shifted in its own plane by a part of its size."""
    points = np.array([mesh.points[i] for i in mesh.faces[rng.integers(mesh.shell)]])
    shift = 0.3 * (points[1] - points[0]) + rng.uniform(-0.2, 0.2) * (points[2] - points[0])
    mesh.add(points + shift, [list(range(len(points)))])
    mesh.dirt |= {"overlying", "border"}
    mesh.closed = False


def turned(mesh: Mesh, rng: np.random.Generator) -> None:
    """Some faces of the shape, less than a quarter, are inside out; they have neighbours."""
    counts = _edges(mesh.faces)
    joined = [i for i in range(mesh.shell) if any(counts[edge] == 2 for edge in _sides(mesh.faces[i]))]
    chosen = rng.choice(joined, size=max(1, mesh.shell // 8), replace=False)
    for i in chosen:
        mesh.faces[i] = mesh.faces[i][::-1]
    mesh.wrong |= set(chosen.tolist())
    mesh.dirt.add("turned")


def inside_out(mesh: Mesh, rng: np.random.Generator) -> None:
    """All faces are inside out."""
    mesh.faces = [face[::-1] for face in mesh.faces]
    mesh.dirt.add("inside out")


def split(mesh: Mesh, rng: np.random.Generator) -> None:
    """Every third face has vertices of its own where it has neighbours, a rounding off or not."""
    off = 1e-8 * rng.integers(2)
    users = np.bincount(np.concatenate(mesh.faces))
    for face in mesh.faces[::3]:
        for place, i in enumerate(face):
            if users[i] > 1:
                users[i] -= 1
                face[place] = len(mesh.points)
                mesh.points.append(mesh.points[i] + off * rng.uniform(-1.0, 1.0, 3))
                mesh.dirt.add("doubled vertices")


def doubled(mesh: Mesh, rng: np.random.Generator) -> None:
    """Some faces, or all, are there twice, the other way round; flat ones are cut into other triangles."""
    if not {"cavity", "nested"} & mesh.dirt and rng.random() < 0.3:
        chosen = list(range(len(mesh.faces)))
        mesh.dirt -= {"turned", "inside out"}  # nothing tells any more which side is the wrong one
    else:
        right = [i for i in range(mesh.shell) if i not in mesh.wrong]
        chosen = rng.choice(right, size=max(1, len(right) // 4), replace=False).tolist()
    mesh.faces += [mesh.faces[i][::-1] for i in chosen]
    mesh.dirt.add("doubled faces")


def needles(mesh: Mesh, rng: np.random.Generator) -> None:
    """A corner on the side of a face, or beside it, with a needle in the seam, and faces that are a line or a
    point.
    """
    face = mesh.faces[0]
    a, b = face[0], face[1]
    middle = len(mesh.points)
    beside = (0.0, 1e-9, 1e-5, 1e-4)[rng.integers(4)] * (mesh.points[face[2]] - mesh.points[b])
    mesh.points.append(0.5 * (mesh.points[a] + mesh.points[b]) + beside)
    mesh.faces[0] = [middle, *face[1:], a]
    mesh.faces += [[a, b, middle], [a, b, b], [a, a, a]]
    mesh.dirt.add("needles")


def loose(mesh: Mesh, rng: np.random.Generator) -> None:
    """Vertices without faces, near and far."""
    mesh.points += list(20.0 * rng.normal(size=(5, 3)))
    mesh.dirt.add("loose")


def placeless(mesh: Mesh, rng: np.random.Generator) -> None:
    """Faces with corners at infinity and at places that are no numbers."""
    shift = len(mesh.points)
    mesh.points += [np.array([np.nan, 0.0, 0.0]), np.array([0.0, np.inf, 0.0])]
    mesh.faces += [[0, 1, shift], [1, shift + 1, 2]]
    mesh.dirt.add("placeless")


FORM: tuple[Dirt, ...] = (crossing, nested, cavity, holes, fins, overlying)
NORMALS: tuple[Dirt, ...] = (turned, inside_out)
COPIES: tuple[Dirt, ...] = (needles, doubled, split)
DEBRIS: tuple[Dirt, ...] = (loose, placeless)
KINDS: tuple[Dirt, ...] = (*FORM, *NORMALS, *COPIES, *DEBRIS)
SOLID_ONLY = (nested, cavity, inside_out)


def dirty(seed: int) -> Dirty:
    """The dirty mesh of a seed: a primitive, at a scale of 1e-3, 1 or 1e2, up to 10 of its sizes away."""
    rng = np.random.default_rng([5, seed])
    kinds = (KINDS[seed],) if seed < len(KINDS) else _mixed(rng)
    needs_solid = any(kind in SOLID_ONLY for kind in kinds)
    choice = shapes.CLOSED if needs_solid or rng.random() < 0.6 else shapes.OPEN
    mesh = _made(choice[rng.integers(len(choice))], kinds, rng)
    scale = (1e-3, 1.0, 1e2)[rng.integers(3)]
    return mesh.moved(scale, scale * rng.normal(size=3) * (0.0, 1.0, 10.0)[rng.integers(3)])


def dirty_bowl(seed: int) -> Dirty:
    """A bowl with a wall and dirt of many kinds, 1.4 high and 1.45 wide inside from the middle to the rim."""
    rng = np.random.default_rng([7, seed])
    return _made(shapes.bowl, _mixed(rng), rng)


def _made(shape: Callable[[], shapes.Mesh], kinds: tuple[Dirt, ...], rng: np.random.Generator) -> Dirty:
    points, faces = shape()
    stretch = np.array([1.0, 1.0, 1.0] if rng.random() < 0.5 else [1.0, 0.8, 0.6])
    points = (points * stretch).astype(np.float32).astype(float)
    in_tube = shape in (shapes.torus, shapes.bowl)
    middle = points[::16].mean(axis=0) if in_tube else points.mean(axis=0)
    mesh = Mesh(list(points), [list(face) for face in faces], shape not in shapes.OPEN, middle, len(faces))
    if shape is shapes.frame:
        mesh.dirt.add("doubled vertices")
    for kind in kinds:
        if len(mesh.faces) >= 6 or kind not in (holes, fins, turned):
            kind(mesh, rng)
    return _finished(mesh, f"{shape.__name__}: {', '.join(kind.__name__ for kind in kinds)}", rng)


def _mixed(rng: np.random.Generator) -> tuple[Dirt, ...]:
    """One kind of each group at most, two kinds at least."""
    while True:
        chosen = [group[rng.integers(len(group))] for group in (FORM, NORMALS) if rng.random() < 0.6]
        chosen += [kind for kind in (*COPIES, *DEBRIS) if rng.random() < 0.4]
        if len(chosen) >= 2 and not (inside_out in chosen and {holes, fins, overlying} & set(chosen)):
            return tuple(chosen)


def _finished(mesh: Mesh, label: str, rng: np.random.Generator) -> Dirty:
    """The mesh as triangles in no order; whether it goes through itself is asked of the oracle."""
    if not mesh.closed:
        mesh.dirt |= {"border", "weight"}
    fans = [[face[0], face[i], face[i + 1]] for face in mesh.faces for i in range(1, len(face) - 1)]
    corners = np.array(fans)[rng.permutation(len(fans))]
    result = Dirty(label, np.array(mesh.points), corners, frozenset(mesh.dirt))
    cut = crossings(result.seen, result.seen, 1e-5)
    return replace(result, dirt=result.dirt | {"crossing"}) if len(cut) else result


def _sides(face: list[int]) -> list[frozenset[int]]:
    return [frozenset((face[i - 1], face[i])) for i in range(len(face))]


def _edges(faces: Faces) -> dict[frozenset[int], int]:
    """How many faces there are on each edge."""
    counts: dict[frozenset[int], int] = {}
    for face in faces:
        for edge in _sides(face):
            counts[edge] = counts.get(edge, 0) + 1
    return counts
