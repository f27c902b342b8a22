"""The exercise engine: holes in the reference, a learner's answers, what the tests say of them.

`holes` knows text, `catalog` the exercises, `workbook` the learner's files (`moving` brings those
that lie elsewhere); `running` and `judge` run one answer in a process of its own, `grading` makes a
verdict of it; `report` and `commands` speak, `gates` keep the exercises honest, `projects` measures
the open tasks. Tests of exercises are written with `testing`.
Standard library alone. Nothing here is imported by norch, and by a stage only in its tests.
"""
