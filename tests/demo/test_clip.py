"""The README's moving picture is an animated PNG that any reader of PNG shows the first picture of."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import bpy
import numpy as np
import pytest

from demo.clip import SIGNATURE, animated, chunks
from tests.window import framebuffer


def picture(path: Path, shade: int, width: int = 6) -> bytes:
    framebuffer.write_png(path, np.full((4, width, 3), shade, np.uint8))
    return path.read_bytes()


def test_pictures_become_one_file_whose_parts_are_numbered_in_order(tmp_path: Path) -> None:
    shades = (0, 128, 255)
    single = [picture(tmp_path / f"{shade}.png", shade) for shade in shades]
    made = animated(single, [0.1, 0.1, 1.5])
    parts = list(chunks(made))
    kinds = [kind for kind, _ in parts]
    assert kinds[:3] == [b"IHDR", b"acTL", b"fcTL"]
    assert kinds[-1] == b"IEND"
    assert struct.unpack(">II", dict(parts)[b"acTL"]) == (3, 0)
    numbers = [struct.unpack_from(">I", body)[0] for kind, body in parts if kind in (b"fcTL", b"fdAT")]
    assert numbers == list(range(len(numbers)))
    delays = [struct.unpack_from(">HH", body, 20) for kind, body in parts if kind == b"fcTL"]
    assert delays == [(100, 1000), (100, 1000), (1500, 1000)]
    later = b"".join(body[4:] for kind, body in parts if kind == b"fdAT")
    data = [b"".join(body for kind, body in chunks(each) if kind == b"IDAT") for each in single]
    assert later == data[1] + data[2]
    assert zlib.decompress(data[2])[1:19] == bytes([255] * 18)


def test_a_reader_that_knows_no_animation_shows_the_first_picture(tmp_path: Path) -> None:
    single = [picture(tmp_path / f"{shade}.png", shade) for shade in (255, 0)]
    (tmp_path / "moving.png").write_bytes(animated(single, [0.1, 0.1]))
    seen = bpy.data.images.load(str(tmp_path / "moving.png"))
    assert tuple(seen.size) == (6, 4)
    assert min(np.array(seen.pixels)) == 1.0


def test_pictures_of_two_sizes_are_refused(tmp_path: Path) -> None:
    two = [picture(tmp_path / "a.png", 1), picture(tmp_path / "b.png", 1, width=7)]
    with pytest.raises(ValueError, match="size"):
        animated(two, [0.1, 0.1])
    assert two[0].startswith(SIGNATURE)
