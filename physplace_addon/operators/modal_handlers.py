# SPDX-License-Identifier: GPL-3.0-or-later
"""What modal operators do when Blender undoes, loads or saves."""

from __future__ import annotations

import bpy

from ..scene.access import persistent
from .modal import ModalOperator, close_all, open_operators


@persistent
def _before_undo(*_: object) -> None:
    for operator in open_operators():
        operator.before_undo(bpy.context)


@persistent
def _after_undo(*_: object) -> None:
    for operator in open_operators():
        operator.after_undo(bpy.context)


@persistent
def _before_load(*_: object) -> None:
    close_all()


@persistent
def _before_save(*_: object) -> None:
    for operator in _hidden_from_files():
        operator.session.put_back(bpy.context)


@persistent
def _after_save(*_: object) -> None:
    for operator in _hidden_from_files():
        operator.session.show_again(bpy.context)


def _hidden_from_files() -> list[ModalOperator]:
    """Return the operators that hide from files and that the next event does not end, as far as is known."""
    return [each for each in open_operators() if each.hides_from_files and each.goes_on]


HANDLERS = (
    ("undo_pre", _before_undo),
    ("redo_pre", _before_undo),
    ("undo_post", _after_undo),
    ("redo_post", _after_undo),
    ("load_pre", _before_load),
    ("save_pre", _before_save),
    ("save_post", _after_save),
    ("save_post_fail", _after_save),
)
