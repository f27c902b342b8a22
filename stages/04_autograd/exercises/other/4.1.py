#: by_the_number_of_the_input
#: one expression for both inputs: the other factor of input i is value 1 - i. The symmetry is seen
#: at once, and nothing is written twice; the reader must know that 1 - i is the other of two.
        return tuple(grad * self.saved(1 - i) if self.needs(i) else None for i in (0, 1))
