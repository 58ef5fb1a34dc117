# SPDX-License-Identifier: GPL-3.0-or-later
"""One variation of a scene: its objects are scattered, come to rest, and what came of it is written.

A variation depends on the job and its own number alone: it opens the scene afresh and draws from a generator
of its own.  So any machine may do any of them, in any order, with the same result.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import bpy
import numpy as np
from bpy.types import Context, Object, Scene

from ...core.arrays import Floats
from ...core.placement import Status
from ...core.rigid import quaternion_exponential, quaternion_matrix
from ...scene.access import custom_properties, scene_of, view_layer_of
from ...scene.reading.settings import settings_of
from ...scene.writing.report import REPORT, last_report
from ...scene.writing.transform import object_space, set_channels
from .job_file import BatchError, BatchJob, Scattered

PHYSPLACE: Final = "physplace"  # the name space of the operators
REFUSED: Final = "REFUSED"  # the status of an object that could not be placed, beside those of placements


@dataclass(frozen=True)
class Variation:
    """What came of a variation; `as_json` is what is kept of it."""

    number: int
    objects: dict[str, dict[str, Any]]
    tries: int
    message: str

    @property
    def at_rest(self) -> bool:
        """Whether all objects are at rest."""
        return all(_at_rest(each["report"]["status"]) for each in self.objects.values())

    def as_json(self, digest: str) -> str:
        """Return the text of its file: equal for equal results, to the byte."""
        entries = {
            "variation": self.number,
            "job": digest,
            "at_rest": self.at_rest,
            "tries": self.tries,
            "message": self.message,
            "objects": self.objects,
        }
        return json.dumps(entries, indent=1) + "\n"


def open_scene(job: BatchJob) -> Scene:
    """Open the job's scene, give it the settings, and return it.

    Raises:
        BatchError: it is no Blender file, an object or a setting is not there, or a value has no meaning.
    """
    try:
        bpy.ops.wm.open_mainfile(filepath=str(job.scene), load_ui=False)
    except RuntimeError as error:
        found = f"Blender cannot open {job.scene} ({str(error).strip()})"
        raise BatchError(job.file, "scene", found, "give a file that this Blender opens") from error
    scene = scene_of(bpy.context)
    objects = view_layer_of(bpy.context).objects
    for each in job.objects:
        if each.name not in objects:
            found = f'the view layer of "{job.scene.name}" has no object "{each.name}"'
            raise BatchError(job.file, "objects", found, "name one that it has")
    settings = settings_of(scene)
    for name, value in job.settings.items():
        if name not in settings.bl_rna.properties:
            raise BatchError(job.file, f"settings.{name}", "there is no such setting", "see the manual")
        try:
            setattr(settings, name, value)
        except (TypeError, ValueError) as error:
            raise BatchError(job.file, f"settings.{name}", str(error), "give a value of its kind") from error
    return scene


def variation(job: BatchJob, number: int) -> Variation:
    """Return what comes of a variation; the scene is left as it then is.

    Raises:
        BatchError: of `open_scene`.
    """
    rng = np.random.default_rng([job.seed, number])
    for attempt in range(1, job.tries + 1):
        open_scene(job)
        message = _scattered_and_placed(bpy.context, job, rng)
        objects = {each.name: _result(bpy.data.objects[each.name]) for each in job.objects}
        found = Variation(number, objects, attempt, message)
        if not any(each["report"]["status"] in _OVERLAPPED for each in objects.values()):
            break
    return found


_OVERLAPPED: Final = frozenset({Status.INTERFERING_START.name, REFUSED})


def write(job: BatchJob, made: Variation, digest: str) -> None:
    """Write a variation's files: the scene first, so that the JSON is there only if all is."""
    name = name_of(made.number)
    if "blend" in job.save:
        bpy.ops.wm.save_as_mainfile(
            filepath=str(job.output / f"{name}.blend"), copy=True, check_existing=False
        )
    unfinished = job.output / f"{name}.json.{os.getpid()}"
    unfinished.write_text(made.as_json(digest))
    unfinished.replace(job.output / f"{name}.json")


def name_of(number: int) -> str:
    """Return how the files of a variation are named, without their endings."""
    return f"{number:06d}"


def finished(job: BatchJob, number: int, digest: str) -> bool | None:
    """Return whether all objects of a variation that was done before are at rest; None if it was not done.

    Raises:
        BatchError: the folder holds it as another job made it.
    """
    path: Path = job.output / f"{name_of(number)}.json"
    if not path.exists():
        return None
    kept = json.loads(path.read_text())
    if kept["job"] != digest:
        found = f"{path.name} there was made by another job"
        raise BatchError(job.file, "output", found, "give an empty folder, or delete what it holds")
    at_rest: bool = kept["at_rest"]
    return at_rest


def scatter(context: Context, scattered: Sequence[Scattered], rng: np.random.Generator) -> None:
    """Put objects somewhere in their boxes, turned as they may be.

    Raises:
        SceneError: an object's transform is not its own.
    """
    depsgraph = context.evaluated_depsgraph_get()
    moved = []
    for each in scattered:
        obj = bpy.data.objects[each.name]
        space = object_space(obj, obj.evaluated_get(depsgraph))
        world = np.array(obj.evaluated_get(depsgraph).matrix_world, np.float64)
        world[:3, :3] = _turn(each.turn, rng) @ world[:3, :3]
        world[:3, 3] = rng.uniform(each.lower, each.upper)
        moved.append((obj, space.channels_for(world, space.channels)))
    for obj, channels in moved:
        set_channels(obj, channels)
    view_layer_of(context).update()


def _turn(kind: str, rng: np.random.Generator) -> Floats:
    """Return a rotation (3, 3) of a kind, even over all that there are."""
    if kind == "any":
        quaternion = rng.normal(size=4)
        return quaternion_matrix(quaternion / np.linalg.norm(quaternion))
    angle = rng.uniform(0.0, 2.0 * np.pi) if kind == "heading" else 0.0
    return quaternion_matrix(quaternion_exponential(np.array([0.0, 0.0, angle])))


def _scattered_and_placed(context: Context, job: BatchJob, rng: np.random.Generator) -> str:
    """Scatter the objects and let them come to rest; returns why that was refused, or nothing."""
    objects = [bpy.data.objects[each.name] for each in job.objects]
    scatter(context, job.objects, rng)
    for obj in objects:
        custom_properties(obj).pop(REPORT, None)  # so that none of before is taken for one of now
    for obj in view_layer_of(context).objects:
        obj.select_set(obj in objects)
    view_layer_of(context).objects.active = objects[0]
    operators: Any = getattr(bpy.ops, PHYSPLACE)
    try:
        if job.order == "together":
            operators.place(together=True)
        else:
            operators.drop_selected()
    except RuntimeError as error:  # how Blender tells what an operator reports as an error
        return str(error).removeprefix("Error: ").strip()
    return ""


def _result(obj: Object) -> dict[str, Any]:
    report = last_report(obj)
    matrix = np.array(obj.matrix_world, np.float64).tolist()
    return {"matrix_world": matrix, "report": dict(report) if report else {"status": REFUSED}}


def _at_rest(status: str) -> bool:
    return status in Status.__members__ and Status[status].at_rest
