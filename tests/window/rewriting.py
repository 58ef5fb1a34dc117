"""Loads test modules in Blender as pytest does: a failed `assert` tells the values it compared."""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import CodeType, ModuleType

from _pytest.assertion.rewrite import rewrite_asserts


class _Rewriting(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        """Return the module's code with its asserts rewritten; the cache is neither read nor written."""
        path = self.get_filename(fullname)
        data = self.get_data(path)
        tree = ast.parse(data)
        rewrite_asserts(tree, data, str(path))
        return compile(tree, path, "exec", dont_inherit=True)


def load(name: str, root: Path) -> ModuleType:
    """The module of this full name, loaded from the folder `root` when it is first asked for."""
    if name not in sys.modules:
        path = root.joinpath(*name.split(".")).with_suffix(".py")
        spec = importlib.util.spec_from_file_location(name, path, loader=_Rewriting(name, str(path)))
        assert spec is not None, path
        assert spec.loader is not None, path
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]
