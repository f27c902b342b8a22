"""The rungs of the capstone, `make project 7`: one file each, and what they share.

`course/capstone/checks.py` puts them in order; `norch_course.projects` runs them, in a process of
their own. `confine` loads the learner's file, `plain` computes what is right, `graphs` compares.
Nothing here knows how the learner's file does it.
"""
