"""How many digits are right: values and gradients beside references of 50 digits."""
