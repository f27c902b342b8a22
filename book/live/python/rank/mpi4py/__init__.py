"""mpi4py for a rank in a page: what stage 6 asks of it. On the path of a rank's Python alone."""

from types import SimpleNamespace

rc = SimpleNamespace(finalize=None)  # stage 6 says by it who ends MPI: here nobody has to
