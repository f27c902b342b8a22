"""Put the program of a step in norch's place: run as a text in a page's Python, before its lines.

The page writes `files = "..."`, the program as JSON, in front of it.
"""

import importlib
import json
import shutil
import sys
from pathlib import Path

FOLDER = Path("/tmp/program")
OWN = {"norch_strides", "norch_cpu_ops", "norch_autograd", "norch_nn"}

shutil.rmtree(FOLDER, ignore_errors=True)
for place, text in json.loads(files).items():  # noqa: F821
    path = FOLDER / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
for name in [one for one in sys.modules if one.partition(".")[0] in OWN]:
    del sys.modules[name]
sys.path[:] = [str(FOLDER), *(one for one in sys.path if one != str(FOLDER))]
importlib.invalidate_caches()
