"""Writes norch's modules before they are installed: hatchling calls this for a wheel and for `-e`.

Where the stages are not beside norch, as in an unpacked source archive, the modules came with it.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class FacesHook(BuildHookInterface[Any]):
    """Runs write_faces.py, whose words say what is wrong with the list."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the modules from the list and the stages."""
        folder = Path(self.root)
        if (folder.parent / "stages").is_dir():
            subprocess.run([sys.executable, folder / "write_faces.py"], check=True)
