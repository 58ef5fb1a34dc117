# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificate of rest, kept on the object: the properties `physplace_report` and `physplace_contacts`."""

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
    """A line of the report, ready to be shown."""

    label: str
    value: str


def report_of(certificate: Certificate) -> dict[str, str | int | float | bool]:
    """The certificate's figures under their public names, and what was found and assumed of the bodies."""
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
    """Position, normal and force of every contact, seven floats each, one after another."""
    contacts = certificate.contacts
    rows = np.column_stack([contacts.position, contacts.normal, contacts.force])
    floats: list[float] = rows.ravel().tolist()
    return floats


def write_report(obj: Object, certificate: Certificate) -> None:
    """Keep the certificate on the object."""
    obj[REPORT] = report_of(certificate)
    obj[CONTACTS] = contact_floats(certificate)


def last_report(obj: Object) -> Report | None:
    """The report of the object's last placement or check, if it has one."""
    stored = custom_properties(obj).get(REPORT)
    if stored is None or not hasattr(stored, "to_dict"):
        return None
    report: Report = stored.to_dict()
    return report


def figures_of(report: Report) -> list[Row]:
    """The report as lines for a table: the status first, then the figures."""
    figures = ((key, value) for key, value in report.items() if key != "notes")
    return [Row(key.replace("_", " ").capitalize(), _shown(value)) for key, value in figures]


def notes_of(report: Report) -> list[str]:
    """What the report says in words."""
    return [note for note in str(report.get("notes", "")).split("; ") if note]


def _shown(value: str | int | float | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    return value.replace("_", " ").capitalize() if isinstance(value, str) else str(value)
