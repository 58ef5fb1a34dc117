# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds every shared library that the `bpy` module needs and this Linux machine lacks, all at once.

The linker stops at the first missing library and names a file, not a package. Here the lists of needed
libraries (DT_NEEDED) are read out of the ELF files of bpy, from its main one through those it brings along,
and each library that bpy does not bring is loaded for a try.

    python3 tools/shared_libraries.py        prints the Debian packages that are missing, one a line
"""

from __future__ import annotations

import ctypes
import mmap
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

DEBIAN_PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libICE.so.6": "libice6",
    "libSM.so.6": "libsm6",
    "libX11.so.6": "libx11-6",
    "libXext.so.6": "libxext6",
    "libXfixes.so.3": "libxfixes3",
    "libXi.so.6": "libxi6",
    "libXrender.so.1": "libxrender1",
    "libXxf86vm.so.1": "libxxf86vm1",
    "libgcc_s.so.1": "libgcc-s1",
    "libgomp.so.1": "libgomp1",
    "libstdc++.so.6": "libstdc++6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libz.so.1": "zlib1g",
}

# Not in any list of needed libraries: Blender opens it itself when it first draws, and aborts without it.
OPENED_WHEN_DRAWING = ("libEGL.so.1",)

PT_LOAD, PT_DYNAMIC = 1, 2
DT_NULL, DT_NEEDED, DT_STRTAB = 0, 1, 5


def needed_by(path: Path) -> list[str]:
    """The libraries that a 64-bit little-endian ELF file asks the linker for."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data[:6] != b"\x7fELF\x02\x01":
            return []
        segments = program_headers(data)
        entries = dynamic_entries(data, segments)
        addresses = [value for tag, value in entries if tag == DT_STRTAB]
        if not addresses:
            return []
        strings = file_offset(addresses[0], segments)
        starts = [strings + value for tag, value in entries if tag == DT_NEEDED]
        return [data[start : data.find(b"\0", start)].decode() for start in starts]


def program_headers(data: mmap.mmap) -> list[tuple[int, ...]]:
    """The segments of an ELF file as (type, flags, offset, address, physical address, size)."""
    (table,) = struct.unpack_from("<Q", data, 32)
    entry_size, count = struct.unpack_from("<HH", data, 54)
    return [struct.unpack_from("<IIQQQQ", data, table + i * entry_size) for i in range(count)]


def dynamic_entries(data: mmap.mmap, segments: list[tuple[int, ...]]) -> list[tuple[int, int]]:
    """The (tag, value) pairs of the dynamic section, none for a static file."""
    entries = []
    for _, _, offset, _, _, size in (s for s in segments if s[0] == PT_DYNAMIC):
        for place in range(offset, offset + size, 16):
            tag, value = struct.unpack_from("<qQ", data, place)
            if tag == DT_NULL:
                break
            entries.append((tag, value))
    return entries


def file_offset(address: int, segments: list[tuple[int, ...]]) -> int:
    """Where in the file the byte lies that is loaded at this address."""
    return next(
        address - start + offset
        for kind, _, offset, start, _, size in segments
        if kind == PT_LOAD and start <= address < start + size
    )


def needed_from_outside(bpy_folder: Path) -> set[str]:
    """The libraries bpy needs at import, in itself or through those it brings, and does not bring."""
    brought = {path.name: path for path in bpy_folder.glob("lib/*.so*")}
    seen: set[str] = set()
    outside, waiting = set(OPENED_WHEN_DRAWING), [bpy_folder / "__init__.so"]
    while waiting:
        path = waiting.pop()
        for name in set(needed_by(path)) - seen:
            seen.add(name)
            if name in brought:
                waiting.append(brought[name])
            else:
                outside.add(name)
    return outside


def missing(names: Iterable[str]) -> list[str]:
    """Those of the libraries that cannot be loaded on this machine, sorted."""
    absent = []
    for name in names:
        try:
            ctypes.CDLL(name)
        except OSError:
            absent.append(name)
    return sorted(absent)


def advice(absent: Iterable[str]) -> str:
    """A text that names each missing library with its Debian package, and the command that installs them."""
    packages: dict[str, str] = {name: DEBIAN_PACKAGES.get(name, "") for name in absent}
    lines = ["Blender (the bpy module) needs shared libraries that this machine lacks:"]
    for name, package in packages.items():
        lines.append("  {:20} Debian package: {}".format(name, package or "unknown; try `apt-file search`"))
    known = " ".join(sorted(set(filter(None, packages.values()))))
    if known:
        lines.append("On Debian and Ubuntu, as root: apt-get install " + known)
    return "\n".join(lines)


if __name__ == "__main__" and sys.platform == "linux":
    print("\n".join(DEBIAN_PACKAGES[name] for name in missing(DEBIAN_PACKAGES)))
