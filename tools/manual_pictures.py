# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the manual's pictures into docs/images: cut out of screenshots that the window tests have kept.

    make manual-pictures                         run the tests that take them, then this
    python3 tools/manual_pictures.py [folder]    only this; from out/window/<version>, the last that took all
    ... --into FOLDER                            into another folder than docs/images

A screenshot is kept as it is seen, pixel for pixel, so that what is written in it can be read.
"""

from __future__ import annotations

import argparse
import struct
import sys
import zlib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
KEPT = ROOT / "out" / "window"
SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = 3

Rows = list[bytes]


class Cut(NamedTuple):
    """A picture of the manual: the screenshot it is cut from, and its left, top, right and lower edge."""

    screenshot: str
    left: int
    top: int
    right: int
    bottom: int


CUTS = {
    "placing.png": Cut("test_manual_pictures/placing", 0, 56, 800, 600),
    "pull.png": Cut("test_manual_pictures/pulled", 150, 130, 650, 420),
    "tie.png": Cut("test_manual_pictures/tied", 150, 130, 650, 420),
    "see_through.png": Cut("test_manual_pictures/see-through", 0, 56, 740, 480),
    "drag.png": Cut("test_manual_pictures/dragged", 0, 56, 740, 500),
    "live_check.png": Cut("test_manual_pictures/live-check", 60, 84, 800, 460),
    "regions.png": Cut("test_manual_pictures/contact-regions", 150, 120, 740, 500),
    "blob.png": Cut("test_manual_pictures/blob", 0, 56, 740, 600),
    "blob_pulled.png": Cut("test_manual_pictures/blob-pulled", 150, 90, 700, 520),
    "blob_mesh.png": Cut("test_manual_pictures/blob-mesh", 150, 90, 700, 520),
    "simulated_pull.png": Cut("test_manual_pictures/simulated-pull", 0, 56, 740, 460),
    "laid_table.png": Cut("test_manual_pictures/laid-table", 52, 150, 740, 500),
    "pie.png": Cut("test_manual_pictures/pie", 140, 170, 660, 470),
    "seated.png": Cut("test_manual_pictures/seated", 0, 56, 740, 600),
    "rests.png": Cut("test_rests_panel/three-rests", 60, 84, 800, 490),
}


def read(path: Path) -> Rows:
    """The rows of a screenshot, from the top, three bytes a pixel; as framebuffer.py writes them."""
    data = path.read_bytes()
    if not data.startswith(SIGNATURE):
        raise ValueError(f"{path} is no PNG file")
    chunks, start = {}, len(SIGNATURE)
    while start < len(data):
        (length,) = struct.unpack_from(">I", data, start)
        chunks[data[start + 4 : start + 8]] = data[start + 8 : start + 8 + length]
        start += 12 + length
    width = struct.unpack_from(">I", chunks[b"IHDR"])[0]
    rows, stride = zlib.decompress(chunks[b"IDAT"]), 1 + CHANNELS * width
    return [rows[i + 1 : i + stride] for i in range(0, len(rows), stride)]


def write(path: Path, rows: Rows) -> None:
    """Write rows as a small PNG file: each as its difference from the one above it."""
    above = bytes(len(rows[0]))
    differences = bytearray()
    for row in rows:
        differences += b"\x02" + bytes((a - b) & 255 for a, b in zip(row, above, strict=True))
        above = row
    header = struct.pack(">IIBBBBB", len(rows[0]) // CHANNELS, len(rows), 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(differences), 9)), (b"IEND", b""))
    path.write_bytes(SIGNATURE + b"".join(_chunk(kind, part) for kind, part in parts))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def cut(rows: Rows, edges: Cut) -> Rows:
    """The part of a picture between these edges."""
    return [row[CHANNELS * edges.left : CHANNELS * edges.right] for row in rows[edges.top : edges.bottom]]


def missing(folder: Path) -> list[str]:
    """The screenshots that are not in a folder."""
    return [each.screenshot for each in CUTS.values() if not _file(folder, each).exists()]


def newest(kept: Path = KEPT) -> Path:
    """The Blender whose window tests have last taken all screenshots; the last of any, where none has.

    Tests of another Blender may have ended later, without those that take pictures.
    """
    folders = [each for each in kept.glob("*") if each.is_dir()]
    whole = [each for each in folders if not missing(each)]
    return max(whole or folders, key=_taken, default=kept)


def _taken(folder: Path) -> float:
    """When the last of a folder's pictures was taken; of the folder itself, where there is none."""
    files = [_file(folder, each) for each in CUTS.values()]
    return max((each.stat().st_mtime for each in files if each.exists()), default=folder.stat().st_mtime)


def _file(folder: Path, edges: Cut) -> Path:
    return folder / f"{edges.screenshot}.png"


def main() -> int:
    """Cut all pictures; 1 if a screenshot is missing."""
    parser = argparse.ArgumentParser(description="Puts the manual's pictures into docs/images.")
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=newest(),
        help="out/window/<version>, where the screenshots are",
    )
    parser.add_argument("--into", type=Path, default=IMAGES, help="the folder to write to")
    chosen = parser.parse_args()
    folder, into = chosen.folder, chosen.into
    if lost := missing(folder):
        print(f"{folder} has no {', '.join(lost)}", file=sys.stderr)
        return 1
    into.mkdir(parents=True, exist_ok=True)
    for name, edges in CUTS.items():
        write(into / name, cut(read(_file(folder, edges)), edges))
        print(f"{into / name}: {(into / name).stat().st_size // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
