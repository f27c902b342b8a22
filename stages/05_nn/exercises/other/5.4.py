#: uniform_numbers
#: uniform numbers are compared with p, and one other number is filled in where they are not below
#: it. No division runs over the elements, and p = 1 is no special case of the draw; a mask of True
#: and False is one tensor more, and in half precision the draws know p to three digits only.
    kept = input.new_empty(shape).uniform_() >= p
    scale = input.new_zeros(shape).masked_fill(kept, 1 / (1 - p) if p < 1 else 0.0)
