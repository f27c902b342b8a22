"""Devices that hold bytes and run kernels: a GPU through CuPy, or the simulator."""
