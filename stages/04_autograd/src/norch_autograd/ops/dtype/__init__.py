"""Which dtype a result has, and how values change theirs."""
