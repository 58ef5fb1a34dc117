# SPDX-License-Identifier: GPL-3.0-or-later
"""The README's moving picture: a bowl falls onto a table and a spoon into the bowl, as an animated PNG.

python -m demo.clip [--into docs/images]

An animated PNG is the first picture's file with the data of the others put behind it: a chunk `acTL` says how
many there are, an `fcTL` before each how long it is shown, and `fdAT` is `IDAT` with a number before it.
"""

from __future__ import annotations

import argparse
import struct
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import bpy

import physplace_addon
from demo import spoon_in_bowl, studio
from demo.quiet import quiet
from demo.table import place
from physplace_addon.scene.access import extended, scene_of

SIGNATURE = b"\x89PNG\r\n\x1a\n"
PICTURE = "spoon_in_bowl_moving.png"
QUALITY = studio.Quality(width=320, height=240, samples=8)
SHOWN, HELD = 0.08, 1.6  # seconds for which a picture is shown, and the last one
STEP = 2  # frames from one picture to the next


def chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Give the chunks of a PNG file, each by its kind and its content."""
    place = len(SIGNATURE)
    while place < len(data):
        (size,) = struct.unpack_from(">I", data, place)
        yield data[place + 4 : place + 8], data[place + 8 : place + 8 + size]
        place += size + 12


def animated(pictures: Sequence[bytes], seconds: Sequence[float]) -> bytes:
    """Return the animated PNG of PNG files of one size, each shown for so many seconds, over and over.

    Raises ValueError if their heads differ, so that they cannot be one file.
    """
    parts = [list(chunks(picture)) for picture in pictures]
    heads = {dict(part)[b"IHDR"] for part in parts}
    if len(heads) != 1:
        raise ValueError("the pictures differ in size or kind")
    (head,) = heads
    out = SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"acTL", struct.pack(">II", len(parts), 0))
    number = 0
    for index, (part, shown) in enumerate(zip(parts, seconds, strict=True)):
        control = struct.pack(">I8s4x4xHHBB", number, head[:8], round(1000 * shown), 1000, 0, 0)
        out += _chunk(b"fcTL", control)
        number += 1
        for kind, content in part:
            if kind == b"IDAT" and index:
                out += _chunk(b"fdAT", struct.pack(">I", number) + content)
                number += 1
            elif kind == b"IDAT":
                out += _chunk(kind, content)
    return out + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def rendered(folder: Path, quality: studio.Quality) -> list[bytes]:
    """Place the bowl and the spoon with their paths keyed, and render the frames."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bowl, spoon = spoon_in_bowl.build()
    studio.light_and_camera(spoon_in_bowl.TARGET, spoon_in_bowl.DISTANCE)
    scene = scene_of(bpy.context)
    extended(scene).physplace.key_path = True
    scene.frame_set(1)
    place(bowl)
    place(spoon)
    last = scene.frame_current
    found = []
    for frame in [*range(1, last, STEP), last]:
        scene.frame_set(frame)
        studio.render(folder / f"{frame:04d}.png", quality)
        found.append((folder / f"{frame:04d}.png").read_bytes())
    return found


def main() -> None:
    """Render, and write the moving picture."""
    parser = argparse.ArgumentParser(description="Makes the README's moving picture.")
    parser.add_argument("--into", type=Path, default=Path(__file__).parent.parent / "docs" / "images")
    into: Path = parser.parse_args().into
    physplace_addon.register()
    try:
        with tempfile.TemporaryDirectory() as folder, quiet():
            pictures = rendered(Path(folder), QUALITY)
    finally:
        physplace_addon.unregister()
    seconds = [SHOWN] * (len(pictures) - 1) + [HELD]
    (into / PICTURE).write_bytes(animated(pictures, seconds))
    print(f"{PICTURE}: {len(pictures)} pictures, {(into / PICTURE).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
