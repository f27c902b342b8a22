"""`python -m norch_cuda run file.cu`: a whole CUDA program on the CPU (programs/command.py)."""

from norch_cuda.programs.command import main

if __name__ == "__main__":
    main()
