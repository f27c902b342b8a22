    scale = input.new_empty(shape).fill_(1.0) if p < 1 else input.new_empty(shape).zero_()
