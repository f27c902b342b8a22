"""A framework of your own, for project 7. The task is course/capstone/README.md."""
