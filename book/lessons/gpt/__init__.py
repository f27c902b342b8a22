"""The small GPT of chapter 7, trained once: its weights, what made them, what its heads look at."""
