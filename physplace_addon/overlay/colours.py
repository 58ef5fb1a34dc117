# SPDX-License-Identifier: GPL-3.0-or-later
"""The colours of marks, which the preferences change.

They are those of Okabe and Ito (2008), which people tell apart who do not see red and green as others do, at
least as lighter and darker. What means trouble has a form of its own besides.
"""

from __future__ import annotations

from dataclasses import dataclass

Colour = tuple[float, float, float, float]


@dataclass(frozen=True)
class MarkColours:
    """Colours as red, green, blue and opacity, 0 to 1.

    Attributes:
        contact: where objects touch.
        sticking: contacts that do not separate.
        force: the forces of contacts.
        near: near points that do not touch.
        centre: the centre of mass.
        carries: a support that carries.
        tips: a support beside the centre of mass.
        overlap: overlaps, and what is in the way.
        pull: what pulls, and ties.
    """

    contact: Colour = (0.94, 0.89, 0.26, 1.0)
    sticking: Colour = (0.34, 0.71, 0.91, 1.0)
    force: Colour = (0.90, 0.62, 0.0, 1.0)
    near: Colour = (0.75, 0.85, 1.0, 0.35)
    centre: Colour = (0.95, 0.95, 0.95, 1.0)
    carries: Colour = (0.0, 0.45, 0.70, 0.3)
    tips: Colour = (0.84, 0.37, 0.0, 0.4)
    overlap: Colour = (1.0, 0.25, 0.0, 1.0)
    pull: Colour = (0.80, 0.47, 0.65, 1.0)


DEFAULT = MarkColours()
_chosen = [DEFAULT]


def chosen_colours() -> MarkColours:
    """Return the colours that marks are drawn in."""
    return _chosen[0]


def choose_colours(colours: MarkColours) -> None:
    """Draw marks in these colours from now on."""
    _chosen[0] = colours
