#: narrow_and_copy
#: `narrow` names the dimension and the length of the piece, and `copy_` writes into it. It says in
#: words what the slices say in signs, and works for any number of dimensions in front; it is
#: longer.
        steps = k.shape[-2]
        self.k.narrow(-2, self.past, steps).copy_(k)
        self.v.narrow(-2, self.past, steps).copy_(v)
        self.past += steps
        return self.k.narrow(-2, 0, self.past), self.v.narrow(-2, 0, self.past)
