"""The record: tensors, the nodes behind them, and what is noted while an operation runs forward."""
