# SPDX-License-Identifier: GPL-3.0-or-later
"""What an operator tells in the header of its area and in the status bar, until that is cleared."""

from __future__ import annotations

import bpy
from bpy.types import Context, WorkSpace

from ..scene.access import present


class Bars:
    """An area and a workspace, by their addresses: either may be gone, or not shown, when it is cleared.

    Only what is new is told: whatever is told has Blender draw the bars again.
    """

    def __init__(self, context: Context) -> None:
        self._area = present(context.area).as_pointer()
        self._workspace = present(context.workspace).as_pointer()
        self._told: tuple[str | None, str | None] = (None, None)

    def tell(self, context: Context, header: str, status: str) -> None:
        """Tell something; the area and the workspace are those of the context."""
        before, self._told = self._told, (header, status)
        if before[0] != header:
            present(context.area).header_text_set(header)
        if before[1] != status:
            present(context.workspace).status_text_set(status)

    def clear(self, context: Context) -> None:
        """Have Blender's own words there again."""
        for screen in bpy.data.screens:
            for area in screen.areas:
                if area.as_pointer() == self._area:
                    area.header_text_set(None)
        for workspace in bpy.data.workspaces:
            if workspace.as_pointer() == self._workspace:
                _clear_status(context, workspace)


def _clear_status(context: Context, workspace: WorkSpace) -> None:
    """Clear a workspace's words: Blender would clear only those of the context's."""
    if workspace == context.workspace:
        workspace.status_text_set(None)
        return
    with context.temp_override(workspace=workspace):
        workspace.status_text_set(None)
