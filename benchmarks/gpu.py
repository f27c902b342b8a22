"""Lines of a table: what a GPU is, and how fast the lesson kernels are there: `make gpu-check`."""

import cupy
from cupy.cuda import nvrtc, runtime

import norch
import norch_cuda

SIZE = 2048
REPEATS = 10


def milliseconds(version: str) -> float:
    """Time one product of two matrices, the mean of several."""
    dtype = norch.float16 if version == "wmma" else norch.float32
    a = norch.randn(SIZE, SIZE, device="cuda", dtype=dtype).array
    norch_cuda.lessons.matmul(a, a, version)
    start, end = (norch_cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(REPEATS):
        norch_cuda.lessons.matmul(a, a, version)
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / REPEATS


def main() -> None:
    """Print the lines."""
    print(f"| GPU | {norch_cuda.get_device_name()} |")
    print(f"| compute capability | {cupy.cuda.Device().compute_capability} |")
    print(f"| the driver's CUDA | {runtime.driverGetVersion()} |")
    print(f"| CuPy, NVRTC | {cupy.__version__}, {nvrtc.getVersion()} |")
    for version in ("naive", "tiled", "blocked", "wmma"):
        took = milliseconds(version)
        rate = 2 * SIZE**3 / took / 1e6
        print(f"| {version} product of {SIZE} x {SIZE} | {took:.2f} ms, {rate:.0f} GFLOP/s |")


if __name__ == "__main__":
    main()
