# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificate of rest, stored on the object as `physplace_report` and `physplace_contacts`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from bpy.types import Object, Scene

from ...core.placement import Certificate, JointReaction, Status
from ...core.wording import in_words
from ..access import custom_properties, plain_value
from ..units import length_text

REPORT = "physplace_report"
CONTACTS = "physplace_contacts"
FLOATS_A_CONTACT = 7  # position, normal, force

_IN_WORDS = ("status", "stable", "rests_on", "notes")  # what the sentence and the notes say
_SAID = frozenset({"status", "stable", "required_friction"})  # without which there is no sentence
_STATUSES = frozenset(Status.__members__)
_LENGTHS = ("overlap", "gap", "joint_gap")
_ROUNDING = 1e-9  # a share of the weight or a coefficient of which no more than rounding is left

OVERLAPS = "it overlaps"  # how the note on what is overlapped begins

Value = str | int | float | bool | list[str]
Report = Mapping[str, Value]


@dataclass(frozen=True)
class Row:
    """A line of the report: label and value as text."""

    label: str
    value: str


def report_of(certificate: Certificate) -> dict[str, Value]:
    """Return the certificate's figures under their public names, with its notes."""
    return {
        "status": certificate.status.name,
        "steps": int(certificate.steps),
        "contacts": len(certificate.contacts),
        "overlap": float(certificate.overlap),
        "gap": float(certificate.gap),
        "residual_force": float(certificate.residual_force),
        "residual_torque": float(certificate.residual_torque),
        "required_friction": float(certificate.required_friction),
        "stable": bool(certificate.stable),
        "rests_on": list(certificate.supports),
        "notes": [*_overlaps(certificate), *certificate.notes],
    }


def _overlaps(certificate: Certificate) -> list[str]:
    return [f"{OVERLAPS} {in_words(certificate.overlapped)}"] if certificate.overlapped else []


def contact_floats(certificate: Certificate) -> list[float]:
    """Return position, normal and force of every contact, in the world: seven floats each, in one list."""
    contacts = certificate.contacts
    rows = np.column_stack([contacts.position, contacts.normal, contacts.force])
    floats: list[float] = rows.ravel().tolist()
    return floats


def write_report(obj: Object, certificate: Certificate) -> None:
    """Store the certificate on the object."""
    obj[REPORT] = report_of(certificate)
    obj[CONTACTS] = contact_floats(certificate)


def write_joint_report(obj: Object, reactions: Sequence[JointReaction]) -> None:
    """Store what the joints of a figure bear in the report on an object: the largest of all joints.

    `joint_gap` is how far a joint is open, `joint_force` in units of the mean weight of a part, and
    `joint_holding` the part of its strength that a stiff joint needs.
    """
    if not reactions:
        return
    stored = obj[REPORT].to_dict()
    stored["joint_gap"] = max(each.gap for each in reactions)
    stored["joint_force"] = max(float(np.linalg.norm(each.force)) for each in reactions)
    stored["joint_holding"] = max(each.braking for each in reactions)
    obj[REPORT] = stored


def last_report(obj: Object) -> Report | None:
    """Return the report of the object's last placement or check; None if it has none that can be read, as
    when a script or a later version wrote it.
    """
    stored = plain_value(custom_properties(obj).get(REPORT))
    is_readable = isinstance(stored, dict) and _SAID.issubset(stored) and stored["status"] in _STATUSES
    return cast("Report", stored) if is_readable else None


def sentence_of(report: Report) -> str:
    """Return how it ended, in words: on what it rests, and whether the least push would end that."""
    status = Status[str(report["status"])]
    overlaps = next((note for note in notes_of(report) if note.startswith(OVERLAPS)), None)
    if status is Status.INTERFERING_START and overlaps is not None:
        return _sentence(f"{overlaps}: Extricate frees it, or move it clear")
    if not status.at_rest:
        return _sentence(status.message)
    names = _listed(report, "rests_on")
    where = f"At rest on {in_words(names)}" if names else "At rest"
    if status is Status.BALANCED_BY_FRICTION:
        least = cast("float", report["required_friction"])
        return f"{where}, held by friction of at least {least:.2g}"
    if status is Status.AT_ENERGY_MINIMUM:
        return f"{where}, as low as it gets; the contacts found do not balance it exactly"
    return (
        f"{where}, stable" if report["stable"] else f"{where}, but the least push tips it: Nudge lets it fall"
    )


def figures_of(report: Report, scene: Scene) -> list[Row]:
    """Return the report's figures as lines of a table, lengths in the units of a scene."""
    figures = ((key, value) for key, value in report.items() if key not in _IN_WORDS)
    return [Row(key.replace("_", " ").capitalize(), _shown(key, value, scene)) for key, value in figures]


def notes_of(report: Report) -> list[str]:
    """Return the report's notes."""
    return _listed(report, "notes")


def _listed(report: Report, key: str) -> list[str]:
    """Return the texts of a list in a report; reports of earlier versions have them in one text."""
    found = report.get(key, [])
    if isinstance(found, str):
        return [text for text in found.split("; ") if text]
    return [str(text) for text in found] if isinstance(found, list) else []


def _shown(key: str, value: Value, scene: Scene) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return str(value)
    if key in _LENGTHS:
        return length_text(value, scene)
    return f"{value:.3g}" if abs(value) > _ROUNDING else "0"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
