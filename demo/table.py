# SPDX-License-Identifier: GPL-3.0-or-later
"""Placing an object and printing its report as a table."""

from __future__ import annotations

import time

import bpy
from bpy.types import Object

from demo.operators import physplace
from demo.quiet import progress
from physplace_addon.scene.access import scene_of, view_layer_of
from physplace_addon.scene.writing.report import Report, figures_of, last_report, notes_of, sentence_of


def place(obj: Object) -> str:
    """Place an object with the operator, print its report, and return the name of the end.

    Raises:
        RuntimeError: the operator has reported an error.
        SystemExit: the operator has left no report.
    """
    view_layer_of(bpy.context).objects.active = obj
    started = time.perf_counter()
    with progress(f"Placing {obj.name}"):
        result = physplace().place()
        report = last_report(obj)
        if result != {"FINISHED"} or report is None:
            raise SystemExit(f'"{obj.name}" has not been placed')
    _print_table(obj.name, report, time.perf_counter() - started)
    return str(report["status"])


def _print_table(name: str, report: Report, seconds: float) -> None:
    figures = figures_of(report, scene_of(bpy.context))
    lines = [(row.label, row.value) for row in figures] + [("Seconds", f"{seconds:.1f}")]
    width = max(len(label) for label, _ in lines)
    breadth = width + 4 + max(len(value) for _, value in lines)
    print(f"\n{name}\n{'-' * breadth}\n{sentence_of(report)}")
    for label, value in lines:
        print(f"{label:<{width}}    {value}")
    for note in notes_of(report):
        print(f"Note: {note}")
    print(flush=True)
