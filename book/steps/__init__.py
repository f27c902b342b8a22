"""The program as of each chapter, made from norch's own sources: `programs.py` makes it."""
