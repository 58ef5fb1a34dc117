"""Pictures of the window, out of the memory in which Xvfb keeps its screen (the X Window Dump format).

Blender's own screenshot operator is black under software OpenGL.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np


def screen(dump: Path) -> np.ndarray:
    """What is on the screen, (height, width, 3) bytes of red, green, blue, the first row at the top."""
    data = dump.read_bytes()
    fields = struct.unpack_from(">25I", data)
    header_size, width, height, row_bytes, colours = (fields[i] for i in (0, 4, 5, 12, 19))
    start = header_size + 12 * colours
    rows = np.frombuffer(data, np.uint8, height * row_bytes, start).reshape(height, row_bytes)
    return rows.reshape(height, row_bytes // 4, 4)[:, :width, 2::-1]


def write_png(path: Path, picture: np.ndarray) -> None:
    """Write (height, width, 3) bytes as a PNG file."""
    height, width, _ = picture.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = picture.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
