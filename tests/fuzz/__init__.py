"""The differential fuzzer: `make fuzz`, described in docs/reliability.md."""
