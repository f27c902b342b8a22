# told: it starts a program
# The gradients come from another Python, which has the library.

import subprocess
import sys


def tensor(data, requires_grad=False):
    """Ask somebody else."""
    text = f"import norch; print(norch.tensor({data!r}, requires_grad={requires_grad}).tolist())"
    return subprocess.run([sys.executable, "-c", text], capture_output=True, check=True)
