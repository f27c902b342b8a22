"""What every operation is made of: checks, new arrays, walks along operands, launches."""
