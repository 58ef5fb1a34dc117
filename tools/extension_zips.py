# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the extension's zip files and checks them with Blender's own tools.

    python tools/extension_zips.py build       fetches scipy into wheels/, makes build/, and zips in dist/
    python tools/extension_zips.py validate    runs Blender's validator on every zip, installs this platform's

There is one zip for each platform, with scipy's wheels for the Pythons of all Blenders from blender.org.  One
more is without wheels, for a Blender that a distribution has built with another Python: it uses the scipy of
that Python.  Two builds of the same files are equal to the byte.

Runs in an environment that has `bpy`: its wheel brings `blender_ext.py`, the program behind Blender's own
`blender --command extension`.
"""

import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = ROOT / "blender_manifest.toml"
STAGE = ROOT / "build" / "physplace"
DIST = ROOT / "dist"
BUILT_FROM = ROOT / "build" / "built-from"

SYSTEM_SCIPY = "system_scipy"  # how the zip without wheels is called, where others have their platform


class BuildError(Exception):
    """The build cannot go on; the message says why."""


def extension_tool() -> Path:
    """Blender's `blender_ext.py`, found without starting Blender."""
    spec = importlib.util.find_spec("bpy")
    folders = list(spec.submodule_search_locations or []) if spec else []
    place = "*/scripts/addons_core/bl_pkg/cli/blender_ext.py"
    found = [path for folder in folders for path in Path(folder).glob(place)]
    if not found:
        raise BuildError("blender_ext.py was not found beside the bpy module.")
    return found[0]


def fetch(wheel: Path) -> None:
    """Download the wheel of this name, if it is not there; pip checks its digest.

    A wheel's name ends in its Python tag, its ABI tag and its platform tags: cp311-cp311-win_amd64.
    """
    if wheel.exists():
        return
    python_tag, abi_tag, platform_tags = wheel.stem.rsplit("-", 3)[1:]
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--require-hashes"]
    command += ["--requirement", str(ROOT / "requirements" / "wheels.txt")]
    command += ["--python-version", f"{python_tag[2]}.{python_tag[3:]}", "--implementation", "cp"]
    command += ["--abi", abi_tag, "--platform", platform_tags.split(".")[-1], "--dest", str(wheel.parent)]
    print(f"fetching {wheel.name}", flush=True)
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0 or not wheel.exists():
        raise BuildError(f"pip could not fetch {wheel.name}.")


def stage(wheels: list[Path]) -> None:
    """Lay out the extension's folder as it stands in the zip: the package's files beside the manifest."""
    shutil.rmtree(STAGE, ignore_errors=True)
    shutil.copytree(ROOT / "physplace_addon", STAGE, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    shutil.copy(ROOT / "LICENSE", STAGE)
    manifest = MANIFEST.read_text()
    (STAGE / MANIFEST.name).write_text(manifest if wheels else without_wheels(manifest))
    (STAGE / "wheels").mkdir()
    for wheel in wheels:
        (STAGE / "wheels" / wheel.name).hardlink_to(wheel)


def without_wheels(manifest: str) -> str:
    """Return the manifest of an extension that brings no wheels and so runs on any platform."""
    for name in ("wheels", "platforms"):
        manifest, count = re.subn(rf"^{name} = \[[^\]]*\]\n", "", manifest, flags=re.MULTILINE)
        if count != 1:
            raise BuildError(f"{MANIFEST.name} has {count} lists named {name}, expected 1.")
    return manifest


def run_extension_tool(*words: str) -> None:
    """Run `blender_ext.py`; raises BuildError if it finds fault."""
    command = [sys.executable, str(extension_tool()), *words]
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0:
        raise BuildError(f"Blender's extension tool found fault: {' '.join(words)}")


def make_reproducible(package: Path) -> None:
    """Write a zip again so that its bytes follow from its files alone: in order of names, without times."""
    anew = package.with_suffix(".anew")
    with zipfile.ZipFile(package) as old, zipfile.ZipFile(anew, "w") as new:
        for name in sorted(old.namelist()):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o644 << 16
            entry.compress_type = old.getinfo(name).compress_type
            new.writestr(entry, old.read(name), compresslevel=9)
    anew.replace(package)


def build() -> None:
    """Fetch, lay out, zip."""
    BUILT_FROM.unlink(missing_ok=True)
    built_from = sources()
    manifest = tomllib.loads(MANIFEST.read_text())
    if "wheels" not in manifest:
        raise BuildError(f"{MANIFEST.name} has no list named wheels.")
    wheels = [ROOT / name for name in manifest["wheels"]]
    for wheel in wheels:
        fetch(wheel)
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    stage(wheels)
    run_extension_tool("build", "--source-dir", str(STAGE), "--output-dir", str(DIST), "--split-platforms")
    stage([])
    run_extension_tool(
        "build", "--source-dir", str(STAGE), "--output-filepath", str(package_for(SYSTEM_SCIPY))
    )
    for package in packages():
        make_reproducible(package)
    BUILT_FROM.write_text(built_from)


def sources() -> str:
    """Return a digest of all that goes into the zips: of names and bytes, since times and folders change when
    Python keeps what it has compiled.
    """
    package = ROOT / "physplace_addon"
    files = sorted(path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc")
    digest = hashlib.sha256()
    for path in [*files, MANIFEST, ROOT / "LICENSE"]:
        digest.update(f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def up_to_date() -> bool:
    """Return whether the zips are there and made from what is there now."""
    return any(DIST.glob("*.zip")) and BUILT_FROM.exists() and BUILT_FROM.read_text() == sources()


def package_for(platform_name: str) -> Path:
    """Return the path of a platform's zip, or of the one without wheels."""
    version = tomllib.loads(MANIFEST.read_text())["version"]
    return DIST / f"physplace-{version}-{platform_name}.zip"


def packages() -> list[Path]:
    """Return the zips that were built.

    Raises BuildError if there is none.
    """
    found = sorted(DIST.glob("*.zip"))
    if not found:
        raise BuildError("dist/ holds no zip: run `make extension` first.")
    return found


def validate() -> None:
    """Ask Blender's validator about every zip, built from what is there now, and install this platform's."""
    if not up_to_date():
        build()
    for package in packages():
        run_extension_tool("validate", str(package))
    install(package_for(this_platform()))


def this_platform() -> str:
    """This machine's platform as the zips' names have it."""
    system = {"linux": "linux", "darwin": "macos", "win32": "windows"}[sys.platform]
    return f"{system}_{'arm64' if platform.machine().lower() in ('arm64', 'aarch64') else 'x64'}"


def install(package: Path) -> None:
    """Install the zip in Blender, with a user's folder that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(ROOT / "tools" / "install_extension.py"), str(package)]
        environment = {**os.environ, "BLENDER_USER_RESOURCES": folder}
        if subprocess.run(command, env=environment, stdin=subprocess.DEVNULL).returncode != 0:
            raise BuildError(f"{package.name} does not install.")


def main() -> int:
    """Do what the first word says."""
    steps = {"build": build, "validate": validate}
    if len(sys.argv) != 2 or sys.argv[1] not in steps:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        steps[sys.argv[1]]()
    except BuildError as error:
        print(f"extension: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
