"""What a module is: its parameters and parts, how it is called, saved, moved and made lazily."""
