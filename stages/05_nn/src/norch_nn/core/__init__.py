"""What a module is: its parameters, how it is called, saved, moved and made lazily."""
