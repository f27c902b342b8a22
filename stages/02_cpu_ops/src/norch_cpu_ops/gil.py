"""Refuses a free-threaded Python (3.13t and later) before the extension is looked for.

Nothing guards an array against a thread that changes it while another one reads, but the GIL.
"""

import sys

if "t" in sys.abiflags:
    raise ImportError(
        "[norch_cpu_ops] this Python is free-threaded, and arrays are not guarded against threads: "
        f"use the ordinary Python {sys.version_info[0]}.{sys.version_info[1]}"
    )
