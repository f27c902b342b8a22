"""What a module is: its parameters, how it is called, saved and moved."""
