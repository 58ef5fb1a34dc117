"""The versions pinned in different places are the same versions."""

import re
import tomllib
from datetime import date
from pathlib import Path

import setup

ROOT = Path(setup.ROOT)
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text())


def pinned(requirements: str) -> dict[str, str]:
    """Package names and versions of a requirements file, those it includes too."""
    lines = setup.pins(ROOT / "requirements" / requirements).splitlines()
    words = [line.split()[0] for line in lines if "==" in line and not line.startswith("#")]
    return dict(word.split("==") for word in words)


def wheel_parts() -> list[list[str]]:
    return [Path(name).stem.split("-") for name in MANIFEST["wheels"]]


def test_the_tests_run_with_the_scipy_that_the_extension_carries() -> None:
    carried = {version for _, version, *_ in wheel_parts()}
    tested = {pinned(f"blender-{blender}.txt")["scipy"] for blender in setup.BLENDERS}
    assert carried == tested == {pinned("wheels.txt")["scipy"]}


def test_every_platform_has_a_wheel_for_both_pythons() -> None:
    keys = {"manylinux": "linux-x64", "arm64": "macos-arm64", "macosx": "macos-x64", "win": "windows-x64"}
    found = set()
    for _, _, python, _, platform in wheel_parts():
        key = "arm64" if platform.endswith("arm64") else platform.split("_")[0]
        found.add((python, keys[key]))
    wanted = {(python, platform) for python in ("cp311", "cp313") for platform in MANIFEST["platforms"]}
    assert found == wanted
    assert len(MANIFEST["wheels"]) == len(found)


def test_every_line_of_the_requirements_is_pinned_exactly() -> None:
    for path in (ROOT / "requirements").glob("*.txt"):
        for line in path.read_text().splitlines():
            if line.strip() and not line.lstrip().startswith(("#", "-r", "--hash")):
                assert "==" in line, f"{path.name}: {line}"


def test_the_changelog_has_the_version_of_the_manifest_as_its_last_release_with_its_day() -> None:
    releases = re.findall(r"^## \[(\d[^\]]*)\] - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    version, day = releases[0]
    assert version == MANIFEST["version"]
    assert date.fromisoformat(day).isoformat() == day
