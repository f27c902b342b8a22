"""Which norch this is. Its CUDA kernels are compiled where they run, so it is built for no CUDA."""

__version__ = "0.2.0"
cuda = None
hip = None
