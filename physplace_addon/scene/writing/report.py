# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificate of rest, stored on the object as `physplace_report` and `physplace_contacts`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from bpy.types import Object

from ...core.placement import Certificate
from ...core.wording import in_words
from ..access import custom_properties

REPORT = "physplace_report"
CONTACTS = "physplace_contacts"
FLOATS_A_CONTACT = 7  # position, normal, force

Report = Mapping[str, str | int | float | bool]


@dataclass(frozen=True)
class Row:
    """A line of the report: label and value as text."""

    label: str
    value: str


def report_of(certificate: Certificate) -> dict[str, str | int | float | bool]:
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
        "notes": "; ".join([*_overlaps(certificate), *certificate.notes]),
    }


def _overlaps(certificate: Certificate) -> list[str]:
    return [f"it overlaps {in_words(certificate.overlapped)}"] if certificate.overlapped else []


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


def last_report(obj: Object) -> Report | None:
    """Return the report of the object's last placement or check; None if it has none."""
    stored = custom_properties(obj).get(REPORT)
    if stored is None or not hasattr(stored, "to_dict"):
        return None
    report: Report = stored.to_dict()
    return report


def figures_of(report: Report) -> list[Row]:
    """Return the report as lines of a table: the status first, then the figures."""
    figures = ((key, value) for key, value in report.items() if key != "notes")
    return [Row(key.replace("_", " ").capitalize(), _shown(value)) for key, value in figures]


def notes_of(report: Report) -> list[str]:
    """Return the report's notes."""
    return [note for note in str(report.get("notes", "")).split("; ") if note]


def _shown(value: str | int | float | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    return value.replace("_", " ").capitalize() if isinstance(value, str) else str(value)
