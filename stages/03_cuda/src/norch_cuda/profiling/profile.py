"""`norch_cuda.profile`: runs something on "cuda-sim" and tells what one kernel did there.

The launches are recorded here; result.py counts and shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from norch_cuda.runtime.recording import Recording, Recordings
from norch_cuda.runtime.simulator_options import record_launches

if TYPE_CHECKING:
    from norch_cuda.profiling.result import Profile


def profile(
    call: Callable[..., Any],
    *arguments: Any,
    kernel: str | None = None,
    replay: Sequence[int] = (0, 0, 0),
    **options: Any,
) -> Profile:
    """Call `call(*arguments, **options)` and count what its kernel does on "cuda-sim".

    call: a kernel of `load_kernel`, an operation, a lesson, any function that launches. kernel: its
    name, where several are launched. replay: the block that `Profile.html` replays.

    >>> ops = norch_cuda.ops_for("cuda-sim")
    >>> x = ops.from_list([[float(i) for i in range(64)]] * 64)
    >>> naive = norch_cuda.profile(norch_cuda.lessons.transpose, x, "naive")
    >>> naive.sectors_per_request, round(naive.efficiency, 2)
    (18.0, 0.22)
    """
    from norch_cuda.profiling.result import Profile  # here: ten modules that few programs need

    x, y, z = (*replay, 0, 0)[:3]
    recordings = Recordings((x, y, z), [])
    with record_launches(recordings):
        call(*arguments, **options)
    return Profile(_choose(recordings.launches, kernel))


def _choose(launches: Sequence[Recording], kernel: str | None) -> list[Recording]:
    """Return the launches of one kernel, which must be named among several."""
    names = list(dict.fromkeys(launch.kernel for launch in launches))
    if not names:
        raise RuntimeError(
            '[profile] nothing was launched on "cuda-sim": only the simulator sees what a kernel '
            "does; put the arrays there"
        )
    if kernel is None and len(names) > 1:
        raise ValueError(
            f"[profile] {len(names)} kernels were launched: choose one by kernel={names[0]!r}, "
            f"or {', '.join(map(repr, names[1:]))}"
        )
    found = [launch for launch in launches if launch.kernel == (kernel or names[0])]
    if not found:
        raise ValueError(f"[profile] kernel {kernel!r} was not launched, but {', '.join(names)}")
    return [launch for launch in found if launch.library == found[0].library]
