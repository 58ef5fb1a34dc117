# SPDX-License-Identifier: GPL-3.0-or-later
"""Placing an object and printing its report as a table."""

from __future__ import annotations

import time

import bpy
from bpy.types import Object

from physplace_addon.scene.report import figures_of, last_report, notes_of


def place(obj: Object) -> str:
    """Place an object with the operator, print its report, and return the name of the end."""
    bpy.context.view_layer.objects.active = obj
    print(f"\nPlacing {obj.name} ...", flush=True)
    started = time.perf_counter()
    bpy.ops.physplace.place()
    return print_report(obj, time.perf_counter() - started)


def print_report(obj: Object, seconds: float) -> str:
    """Print an object's last report; returns the name of the end."""
    report = last_report(obj)
    if report is None:
        raise SystemExit(f'"{obj.name}" has no report')
    lines = [(row.label, row.value) for row in figures_of(report)] + [("Seconds", f"{seconds:.1f}")]
    width = max(len(label) for label, _ in lines)
    breadth = width + 4 + max(len(value) for _, value in lines)
    print(f"{obj.name}\n{'-' * breadth}")
    for label, value in lines:
        print(f"{label:<{width}}    {value}")
    for note in notes_of(report):
        print(f"Note: {note}")
    return str(report["status"])
