"""norch beside PyTorch, NumPy and the machine itself: `make bench` runs `python -m benchmarks`.

`workloads/` says what is measured and with which numbers, `worker` measures one library in a
process of its own, `driver` asks the workers in turns, `row` judges, `report` and `chart` write.
`limits` measures the machine, `noise` norch beside itself; `processes`, `memory` and `checkpoints`
are what only a fresh process can tell.
Nothing here is imported by norch.
"""
