#: all_places_in_one
#: the places become one dimension first, so that signals, images and volumes are the same table of
#: (images, channels, places) and its dimensions have names. Where the gradient does not lie row
#: after row, `flatten` copies it before the sum reads it.
        from norch_autograd.ops.shape.view import flatten

        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        images, places = 0, 2
        db = sum(flatten(grad, 2), (images, places)) if self.needs(2) else None
        return dx, dw, db
