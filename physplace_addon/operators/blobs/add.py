# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Blob: a new blob with its first element, or another element of the active blob, at the 3D cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty
from bpy.types import Context, Object
from mathutils import Matrix, Vector

from ...scene.access import active_object, scene_of
from ...scene.blobs import making
from ...scene.blobs.elements.kinds import KINDS
from ...scene.blobs.empty_transforms import BlobSpace
from ...scene.blobs.objects import DIFFERENCE, INTERSECTION, SUM, UNION, blob_of, parts_of
from ...scene.reading.subjects.movers import check_editable
from ...scene.writing.duplicate import select_only
from ..common import Conclusion, ObjectOperator, object_mode_reason
from .sculpt import sculpted_blob

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class PHYSPLACE_OT_blob_add(ObjectOperator):
    """Add a blob, or an element to the active one."""

    bl_idname = "physplace.blob_add"
    bl_label = "Add Blob"
    bl_description = (
        "Add an element, at the 3D cursor, to the blob that the active object belongs to. "
        "Where it belongs to none, a new blob with that element"
    )

    if TYPE_CHECKING:
        kind: str
        combination: str
        subtract: bool
        new: bool
        radius: float
        location: tuple[float, float, float]
    else:
        kind: EnumProperty(
            name="Element",
            description="What is added",
            items=[(name, form.label, form.description) for name, form in KINDS.items()],
        )
        combination: EnumProperty(
            name="Combine",
            description="How the elements of a new blob become one surface",
            items=(
                (SUM, "Sum", "They flow into each other, the more the nearer they are"),
                (UNION, "Union", "All that is in any of them"),
                (INTERSECTION, "Intersection", "What is in all of them"),
                (DIFFERENCE, "Difference", "What is in the first, less all others"),
            ),
            default=SUM,
        )
        subtract: BoolProperty(
            name="Subtract",
            description="Take the element away from the blob's surface",
            default=False,
        )
        new: BoolProperty(
            name="New Blob",
            description="Begin another blob, although one is active",
            default=False,
        )
        radius: FloatProperty(
            name="Radius",
            description="The size of the element",
            subtype="DISTANCE",
            default=1.0,
            min=1e-4,
            soft_max=100.0,
        )
        location: FloatVectorProperty(
            name="Location",
            description="Where the element is. The 3D cursor, unless given",
            subtype="TRANSLATION",
            options={"SKIP_SAVE"},
        )

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs Object Mode only."""
        return object_mode_reason(context)

    def execute(self, context: Context) -> set[OperatorReturnItems]:
        """Add the element at the location, or at the 3D cursor where none was given."""
        if not self.properties.is_property_set("location"):
            self.location = scene_of(context).cursor.location.to_tuple()
        return super().execute(context)

    def work(self, context: Context) -> Conclusion:
        """Make the empties, and select them."""
        blob = None if self.new else blob_of(active_object(context)) or sculpted_blob()
        is_new = blob is None
        if blob is None:
            blob = making.add_blob(context, self.combination, self.location)
        else:
            check_editable(blob)
        made = making.add_element(context, blob, self.kind, self._matrix(blob), self._subtracts(blob))
        select_only(context, [*made[1:], made[0]])
        name = KINDS[self.kind].label.lower()
        text = f'"{blob.name}": a new blob of a {name}' if is_new else f'"{blob.name}": a {name} added'
        return Conclusion(True, text)

    def _subtracts(self, blob: Object) -> bool:
        return self.subtract or (blob["blob"] == DIFFERENCE and bool(parts_of(blob)))

    def _matrix(self, blob: Object) -> Matrix:
        """Return the element's matrix in the blob's coordinates: its axes are the blob's."""
        frame = BlobSpace.of(blob).matrix
        place = np.linalg.solve(frame, np.append(np.array(self.location, dtype=np.float64), 1.0))[:3]
        size = self.radius / abs(float(np.linalg.det(frame[:3, :3]))) ** (1.0 / 3.0)
        return Matrix.Translation(Vector(place.tolist())) @ Matrix.Scale(size, 4)
