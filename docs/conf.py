"""How Sphinx makes a site of the manual's pages: `make manual`."""

import tomllib
from pathlib import Path

_manifest = tomllib.loads((Path(__file__).parent.parent / "blender_manifest.toml").read_text())

project = _manifest["name"]
author = _manifest["maintainer"]
copyright = _manifest["copyright"][0]
release = version = _manifest["version"]

extensions = ["myst_parser"]
myst_heading_anchors = 3  # so that a page can point at a heading of another, as on a forge
html_theme = "furo"
html_title = f"{project} {release}"
html_copy_source = False
