"""Blender's metaballs and Gaussians: which of one is nearest to which of the other at the surface.

An element of a metaball has the field s (1 - r^2 / R^2)^3 within its radius R, with its stiffness s, and the
surface is where the fields add up to a threshold T. A Gaussian of a blob has w exp(-r^2 / sigma^2), and they
add up to the bias b. Alone, an element has its surface at r_0; the two kernels are matched there, in value
and in slope. With u = r_0^2 / R^2 and L = log(w / b),

    u = 1 - (T / s)^(1/3),   L = 3 u / (1 - u),   sigma = R / sqrt(3 + L).

An element too weak to have a surface alone, s <= T or w <= b, is matched at its centre, in value and in
curvature: sigma = R / sqrt(3), w / b = s / T.
"""

from __future__ import annotations

import math


def gaussian_of(radius: float, stiffness: float, threshold: float, bias: float) -> tuple[float, float]:
    """Return the radius sigma and the weight w of the Gaussian that is nearest to a metaball's element.

    Args:
        radius: R, in scene units.
        stiffness: s, without unit, above 0.
        threshold: T, without unit, above 0.
        bias: b, without unit.
    """
    if stiffness <= threshold:
        return radius / math.sqrt(3.0), bias * stiffness / threshold
    u = 1.0 - (threshold / stiffness) ** (1.0 / 3.0)
    level = 3.0 * u / (1.0 - u)
    return radius / math.sqrt(3.0 + level), bias * math.exp(level)


def metaball_of(radius: float, weight: float, threshold: float, bias: float) -> tuple[float, float]:
    """Return the radius R and the stiffness s of the metaball's element that is nearest to a Gaussian.

    Args:
        radius: sigma, in scene units.
        weight: w, without unit, above 0.
        threshold: T, without unit, above 0.
        bias: b, without unit.
    """
    if weight <= bias:
        return radius * math.sqrt(3.0), threshold * weight / bias
    level = math.log(weight / bias)
    return radius * math.sqrt(3.0 + level), threshold * (1.0 + level / 3.0) ** 3
