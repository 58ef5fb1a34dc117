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
BETWEEN = 4  # white pixels between two parts of a picture

Rows = list[bytes]


class Cut(NamedTuple):
    """A part of a screenshot: its left, top, right and lower edge."""

    screenshot: str
    left: int
    top: int
    right: int
    bottom: int


def _of(test: str, screenshot: str, *edges: int) -> Cut:
    return Cut(f"test_{test}/{screenshot}", *edges)


def _done(screenshot: str, *edges: int) -> Cut:
    return _of("manual_pictures_of_commands", screenshot, *edges)


# A picture of the manual is one part, or some beside each other.
CUTS = {
    "placing.png": [_of("manual_pictures", "placing", 0, 56, 800, 600)],
    "pull.png": [_of("manual_pictures", "pulled", 150, 130, 650, 420)],
    "tie.png": [_of("manual_pictures", "tied", 150, 130, 650, 420)],
    "see_through.png": [_of("manual_pictures", "see-through", 0, 56, 740, 480)],
    "drag.png": [_of("manual_pictures", "dragged", 0, 56, 740, 500)],
    "live_check.png": [_of("manual_pictures", "live-check", 60, 84, 800, 460)],
    "regions.png": [_of("manual_pictures", "contact-regions", 150, 120, 740, 500)],
    "list_of_regions.png": [_of("manual_pictures", "list-of-regions", 150, 84, 800, 430)],
    "blob.png": [_of("manual_pictures", "blob", 0, 56, 740, 600)],
    "blob_pulled.png": [_of("manual_pictures", "blob-pulled", 150, 90, 700, 520)],
    "blob_mesh.png": [_of("manual_pictures", "blob-mesh", 150, 90, 700, 520)],
    "simulated_pull.png": [_of("manual_pictures", "simulated-pull", 0, 56, 740, 460)],
    "laid_table.png": [_of("manual_pictures", "laid-table", 52, 150, 740, 500)],
    "pie.png": [_of("manual_pictures", "pie", 140, 170, 660, 470)],
    "seated.png": [_of("manual_pictures", "seated", 0, 56, 740, 600)],
    "rests.png": [_of("rests_panel", "three-rests", 60, 84, 800, 560)],
    "presets.png": [_of("settings_presets", "list", 200, 240, 600, 510)],
    "examples.png": [_done("examples", 300, 84, 800, 330)],
    "check.png": [_done("checked", 200, 84, 800, 360)],
    "extricate.png": [_done("stuck", 250, 160, 600, 480), _done("freed", 250, 160, 600, 480)],
    "push.png": [_done("before-push", 200, 220, 580, 460), _done("pushed", 200, 220, 580, 460)],
    "connect.png": [_done("connected", 220, 110, 620, 460)],
    "nudge.png": [_done("on-its-edge", 170, 240, 420, 420), _done("nudged", 170, 240, 420, 420)],
    "replicate.png": [_done("replicated", 220, 190, 580, 420)],
    "drag_figure.png": [_done("figure-dragged", 0, 56, 740, 600)],
    "pull_figure.png": [_done("pulled", 240, 110, 560, 520)],
    "mirror_pose.png": [_done("solved", 240, 110, 560, 520), _done("mirrored", 240, 110, 560, 520)],
    "rest_pose.png": [_of("linkages", "at-rest", 200, 90, 600, 560)],
    "blob_panel.png": [_done("blob-panel", 150, 78, 800, 576)],
    "blob_particles.png": [_done("blob_particles", 150, 90, 700, 520)],
    "metaball.png": [_done("blob_to_metaballs", 150, 120, 700, 560)],
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


def beside(parts: list[Rows]) -> Rows:
    """One picture of parts of one height, from left to right."""
    return [(BETWEEN * CHANNELS * b"\xff").join(rows) for rows in zip(*parts, strict=True)]


def screenshots() -> list[str]:
    """The screenshots of all pictures."""
    return [each.screenshot for parts in CUTS.values() for each in parts]


def missing(folder: Path) -> list[str]:
    """The screenshots that are not in a folder."""
    return [each for each in screenshots() if not _file(folder, each).exists()]


def newest(kept: Path = KEPT) -> Path:
    """The Blender whose window tests have last taken all screenshots; the last of any, where none has.

    Tests of another Blender may have ended later, without those that take pictures.
    """
    folders = [each for each in kept.glob("*") if each.is_dir()]
    whole = [each for each in folders if not missing(each)]
    return max(whole or folders, key=_taken, default=kept)


def _taken(folder: Path) -> float:
    """When the last of a folder's pictures was taken; of the folder itself, where there is none."""
    files = [_file(folder, each) for each in screenshots()]
    return max((each.stat().st_mtime for each in files if each.exists()), default=folder.stat().st_mtime)


def _file(folder: Path, screenshot: str) -> Path:
    return folder / f"{screenshot}.png"


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
    for name, parts in CUTS.items():
        write(into / name, beside([cut(read(_file(folder, each.screenshot)), each) for each in parts]))
        print(f"{into / name}: {(into / name).stat().st_size // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
