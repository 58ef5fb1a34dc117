"""Patches of an implicit surface: exact points, tangents and curvature."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.core.bodies.blob_bodies import lump, patches_of, somewhere
from tests.core.implicit.surfaces import fourteen_spheres


def test_derivatives_are_those_of_finite_differences() -> None:
    patches = patches_of(lump())
    random = np.random.default_rng(1)
    patch, at, step = random.integers(len(patches), size=200), random.uniform(0.1, 0.9, (200, 2)), 1e-5
    exactly = patches.derivatives(patch, at)
    for axis, names in ((0, ("du", "duu", "duv")), (1, ("dv", "duv", "dvv"))):
        low, high = (patches.derivatives(patch, at + sign * step * np.eye(2)[axis]) for sign in (-1, 1))
        for name, of in zip(names, ("point", "du", "dv"), strict=True):
            difference = (getattr(high, of) - getattr(low, of)) / (2 * step)
            assert getattr(exactly, name) == pytest.approx(difference, abs=1e-9), name


def test_points_normals_and_curvature_are_the_functions_own() -> None:
    body, function = lump(), fourteen_spheres()
    _, face, uv, _ = somewhere(body, 400)
    found = body.face_geometry(face, uv)
    value, gradient, hessian = function.hessian(found.point)
    slope = np.linalg.norm(gradient, axis=1)
    assert np.abs(value / slope).max() <= 1e-13
    assert found.normal == pytest.approx(gradient / slope[:, None], abs=1e-12)
    bent = -found.frame @ hessian @ found.frame.transpose(0, 2, 1) / slope[:, None, None]
    assert found.curvature == pytest.approx(bent, abs=1e-9)


def test_where_a_patch_is_does_not_depend_on_the_guess() -> None:
    patches = patches_of(lump())
    random = np.random.default_rng(2)
    patch, at = random.integers(len(patches), size=300), random.uniform(0.0, 1.0, (300, 2))
    guessed = patches.forms(patch, at)
    for guesses in (0.0 * patches.guesses, random.uniform(-1e-2, 1e-2, patches.guesses.shape)):
        found = replace(patches, guesses=guesses).forms(patch, at)
        assert np.abs(found[0].point - guessed[0].point).max() <= 1e-14
        assert np.abs(found[1] - guessed[1]).max() <= 1e-13
        assert np.abs(found[2] - guessed[2]).max() <= 1e-9 * np.abs(guessed[2]).max()
