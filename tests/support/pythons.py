"""The Pythons that norch supports, for tests: read where tools/supported.py reads them."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
_spec = importlib.util.spec_from_file_location("supported", ROOT / "tools" / "supported.py")
assert _spec and _spec.loader
_supported = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_supported)

MINORS = list(_supported.minors())  # the N of 3.N, the oldest first
OLDEST, NEWEST = MINORS[0], MINORS[-1]
IN_WORDS = _supported.in_words()  # 3.OLDEST to 3.NEWEST
