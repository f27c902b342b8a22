"""Import what pages import, and compile each module that came: run by node, never in a page.

Written to /compiled.tar: `lib/...` for modules of the standard library, the rest as below /norch. A
compiled file is never compared with its source: both come from one build.
"""

import importlib
import importlib.util
import io
import sys
import tarfile
from importlib._bootstrap_external import _code_to_hash_pyc

ROOT, ZIP = "/norch/", "/lib/python313.zip/"
for name in ("live_cells", "live_check", "norch.utils.data", "norchvision", "unittest.mock"):
    package = name.partition(".")[0]
    if importlib.util.find_spec(package):  # without compiled stages, the course alone
        importlib.import_module(name)

with tarfile.open("/compiled.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
    for _, module in sorted(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        origin = (spec and spec.origin) or ""
        if not origin.endswith(".py") or not origin.startswith((ROOT, ZIP)):
            continue
        source = spec.loader.get_source(spec.name).encode()
        is_ours = origin.startswith(ROOT)  # the library's docstrings would be a tenth of all
        code = compile(source, origin, "exec", dont_inherit=True, optimize=0 if is_ours else 2)
        data = bytes(_code_to_hash_pyc(code, importlib.util.source_hash(source), False))
        place = f"lib/{origin.removeprefix(ZIP)}c"
        if is_ours:
            place = importlib.util.cache_from_source(origin).removeprefix(ROOT)
        entry = tarfile.TarInfo(place)
        entry.size = len(data)
        tar.addfile(entry, io.BytesIO(data))
