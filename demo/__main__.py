# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m demo`: the spoon in the bowl, an object of a file placed on the rest, or a blob sculpted."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from demo.quiet import quiet

with quiet():  # Blender may say which colours it uses, as soon as it is imported
    import physplace_addon
    from demo import place_file, pulled_cylinders, spoon_in_bowl, studio


def main() -> int:
    """Run what the command line asks for; the exit code is 0 if it ended as it should."""
    parser = argparse.ArgumentParser(prog="demo", description=__doc__)
    parser.add_argument(
        "--file", type=Path, help="a .blend, .obj or .glb file; without it, the spoon in the bowl"
    )
    parser.add_argument(
        "--active", help="the name of the object to place; without it, the file's active object"
    )
    parser.add_argument("--sculpt", action="store_true", help="pull three blobby cylinders into shape")
    parser.add_argument("--out", type=Path, default=Path("out"), help="the folder to write to")
    parser.add_argument("--small", action="store_true", help="small, coarse pictures, for a quick try")
    chosen = parser.parse_args()
    if chosen.active is not None and chosen.file is None:
        parser.error("--active (ACTIVE) names an object of a file: say which one by --file (FILE)")
    try:
        chosen.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"--out: {chosen.out} cannot be a folder: {error.strerror}")
    out = chosen.out.resolve()
    quality = studio.SMALL if chosen.small else studio.FULL
    physplace_addon.register()
    try:
        if chosen.sculpt:
            return pulled_cylinders.run(out, quality)
        if chosen.file is None:
            return spoon_in_bowl.run(out, quality)
        return place_file.run(chosen.file, chosen.active, out)
    finally:
        physplace_addon.unregister()  # without it, bpy never exits after a render


if __name__ == "__main__":
    sys.exit(main())
