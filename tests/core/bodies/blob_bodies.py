"""Bodies of implicit surfaces for the tests."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import Body
from physplace_addon.core.bodies.implicit_patches import ImplicitPatches
from physplace_addon.core.bodies.implicit_solid import blob_body
from physplace_addon.core.implicit import blobby_spheres
from physplace_addon.core.implicit.functions.gaussians.blob import Blob
from physplace_addon.core.placement import Placement
from physplace_addon.core.placement.certificate import Certificate
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces.bezier.sheet import BezierSheet
from tests.core.implicit.surfaces import fourteen_spheres
from tests.oracles.frames import rotation_of

BIAS = 0.5
RADIUS = np.log(1 / BIAS) ** 0.5  # of the surface of a blobby sphere of radius 1
EIGHT = np.arange(8) * np.pi / 4
RING = np.stack([np.cos(EIGHT), np.sin(EIGHT), 0 * EIGHT], axis=1)


def ball_of(scale: float = 1.0, centre: ArrayLike = (0.0, 0.0, 0.0)) -> Blob:
    return blobby_spheres(BIAS, [np.array(centre) * scale], [scale])


@lru_cache
def lump() -> Body:
    return blob_body(fourteen_spheres(), "lump", tolerance=0.01)


@lru_cache
def ring() -> Body:
    return blob_body(blobby_spheres(BIAS, RING, [0.55] * 8), "ring", tolerance=0.015)


def somewhere(body: Body, count: int, seed: int = 0) -> tuple[Ints, Ints, Floats, Floats]:
    """Faces and parameters of random places, and the places of the tessellation there."""
    random = np.random.default_rng(seed)
    triangle, weights = (
        random.integers(len(body.triangles), size=count),
        random.dirichlet([1, 1, 1], size=count),
    )
    uv, flat = (np.einsum("kc,kci->ki", weights, own[triangle]) for own in (body.triangle_uv, body.triangles))
    return triangle, body.triangle_face[triangle], uv, flat


def rested(body: Body, pose: Pose, world: Sequence[Body]) -> tuple[Certificate, Floats, Floats]:
    """How it ended, and the last state's rotation and centre of mass."""
    placement = Placement(body, pose, world)
    certificate = placement.run()
    pose = placement.states[-1].pose
    rotation = rotation_of(pose.rotation)
    return certificate, rotation, rotation @ body.mass.center + pose.translation


def patches_of(body: Body) -> ImplicitPatches:
    """The patches of a blob's one face."""
    sheet = body.surfaces[0]
    assert isinstance(sheet, BezierSheet)
    assert isinstance(sheet.nets, ImplicitPatches)
    return sheet.nets
