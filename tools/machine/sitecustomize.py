"""What every Python of `make test-machines` does first: it takes the kernels of a lesser
instruction set, forgets that OpenBLAS is installed or finds another, where its machine says so.

tools/test_machines.py puts this folder on PYTHONPATH: so notebooks and the processes that tests
start are of the same machine. Nothing else imports it, and norch itself reads no such variable.
"""

import importlib.util
import os
import sys

blas = os.environ.get("MACHINE_OPENBLAS", "")
if blas == "none":
    sys.modules["scipy_openblas32"] = None  # type: ignore[assignment]  # as if not installed
elif blas:
    sys.path.insert(0, blas)  # the folder of another package of that name

if "MACHINE_ISA" in os.environ and importlib.util.find_spec("norch_cpu_ops") is not None:
    import norch_cpu_ops

    try:
        norch_cpu_ops.set_instruction_set(os.environ["MACHINE_ISA"])
    except ValueError as error:  # Python would go on with any other exception
        print(error, file=sys.stderr, flush=True)
        os._exit(77)  # tools/test_machines.py: this processor cannot
