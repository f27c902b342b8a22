"""What a kernel did on "cuda-sim", line by line: `norch_cuda.profile`."""
