"""Three rests of a cube of side 2, keyed one after the other, and what is looked at afterwards."""

from __future__ import annotations

import bpy
import numpy as np

from physplace_addon.scene import rotations
from physplace_addon.scene.writing.actions import curves_of
from tests.blender_data import current_scene, current_view_layer, physplace, scene_settings
from tests.scene import scenes

FRAMES = (1, 20, 40)
PLACES = ((0.0, 0.0, 2.5), (3.0, 0.0, 2.5), (-3.0, 1.0, 3.0))
LONG_STEPS = 0.25  # over the radius: the rests are the same, and reached in fewer
TURNS = ((0.3, 0.25, 0.7), (1.8, 0.2, 0.1), (0.2, 2.0, 0.3))


def _matrix(place: tuple[float, ...], turn: tuple[float, ...], scale: tuple[float, ...]) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = rotations.matrix_of("XYZ", turn) * scale
    matrix[:3, 3] = place
    return matrix


def put(obj: bpy.types.Object, frame: int, place: tuple[float, ...], turn: tuple[float, ...]) -> None:
    """Go to a frame and put an object somewhere in the world by hand."""
    scenes.activate(obj)
    current_scene().frame_set(frame)
    size = scenes.world_matrix(obj)[:3, :3]
    scale = np.linalg.norm(size, axis=0) * np.array([np.sign(np.linalg.det(size)), 1.0, 1.0])
    obj.matrix_world = _matrix(place, turn, scale.tolist()).T.tolist()
    current_view_layer().update()


def sequence(obj: bpy.types.Object, steps: float = LONG_STEPS) -> None:
    """Key three rests."""
    scene_settings().eps_max = steps
    for frame, place, turn in zip(FRAMES, PLACES, TURNS, strict=True):
        put(obj, frame, place, turn)
        assert physplace.keyframe_rest() == {"FINISHED"}


def corners(obj: bpy.types.Object) -> np.ndarray:
    points = np.column_stack([scenes.CUBE, np.ones(8)])
    found: np.ndarray = (scenes.world_matrix(obj) @ points.T).T[:, :3]
    return found


def assert_at_rest(obj: bpy.types.Object, frame: int, height: float) -> None:
    """A face of the cube lies on a plane z = height."""
    current_scene().frame_set(frame)
    low = np.sort(corners(obj)[:, 2])
    np.testing.assert_allclose(low[:4], height, atol=2e-5)


def key_frames(obj: bpy.types.Object, kinds: tuple[str, ...] = ("KEYFRAME",)) -> list[float]:
    points = [point for curve in curves_of(obj) for point in curve.keyframe_points]
    return sorted({float(point.co[0]) for point in points if point.type in kinds})


def all_keys(obj: bpy.types.Object) -> dict[tuple[str, int], list[tuple[float, ...]]]:
    return {
        (curve.data_path, curve.array_index): [
            (*point.co.to_tuple(), *point.handle_left.to_tuple(), *point.handle_right.to_tuple())
            for point in curve.keyframe_points
        ]
        for curve in curves_of(obj)
    }


def replaced() -> None:
    assert physplace.rests_replace() == {"FINISHED"}
