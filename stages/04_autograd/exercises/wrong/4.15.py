#: given | drops: one element for each channel
#: the sum leaves the images and takes the channels away. Dimension 0 counts images, dimension 1
#: channels: it is the channels that have a bias each.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, tuple(range(1, grad.array.ndim))) if self.needs(2) else None
        return dx, dw, db
#: images_alone | drops: at every place
#: you sum over the images alone. A bias was added at every place of the result too: sum over the
#: places as well.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, 0) if self.needs(2) else None
        return dx, dw, db
#: places_alone | drops: it was added to every image
#: you sum over the places alone. The same bias was added to every image: sum over dimension 0 as
#: well.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, tuple(range(2, grad.array.ndim))) if self.needs(2) else None
        return dx, dw, db
#: flat_alone | drops: signals, images and volumes
#: your dimensions are those of images. A volume has one more: count from 2 up to
#: `grad.array.ndim`.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, 2, 3)) if self.needs(2) else None
        return dx, dw, db
#: one_place_left
#: one dimension of places is left. Sum over all of them: from number 2 on, however many there are.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, 2)) if self.needs(2) else None
        return dx, dw, db
#: last_place_alone
#: you sum over the images, and over the last dimension of places alone. An image has two of them,
#: a volume three: sum over all from number 2 on.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, -1)) if self.needs(2) else None
        return dx, dw, db
#: places_from_the_end
#: you sum over the last two dimensions, as images need it. The last two of a signal are channel
#: and place, and a volume has three of places: count from 2 up to `grad.array.ndim`.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, -2, -1)) if self.needs(2) else None
        return dx, dw, db
#: one_number
#: you sum everything to one number. Each channel has a bias of its own: leave dimension 1.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad) if self.needs(2) else None
        return dx, dw, db
#: unasked | drops: None where no gradient is wanted
#: you compute the bias' gradient whether it is wanted or not. A convolution without bias has no
#: third input: ask `self.needs(2)`.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, *range(2, grad.array.ndim)))
        return dx, dw, db
#: asks_the_weight
#: the bias' gradient comes where the weight's is wanted. The bias is the third input: ask
#: `self.needs(2)`.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, *range(2, grad.array.ndim))) if self.needs(1) else None
        return dx, dw, db
#: kept_as_ones
#: the dimensions that you summed over are still there, with size 1. A gradient has the shape of
#: its tensor, (O).
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, *range(2, grad.array.ndim)), True) if self.needs(2) else None
        return dx, dw, db
#: averaged
#: you divided by the number of images. Each image did its own work in the loss, so what they send
#: adds up.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, *range(2, grad.array.ndim))) / grad.array.shape[0] if self.needs(2) else None
        return dx, dw, db
#: first_channel
#: you sum in two steps, with dimensions kept on the way: the channels are summed as well, or others
#: are left with size 1. One sum over all dimensions but number 1 is enough.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(sum(grad, tuple(range(1, grad.array.ndim)), True), 0) if self.needs(2) else None
        return dx, dw, db
#: guessed_size
#: you let `reshape` find out the number of places. Without images or without channels it cannot:
#: sum over the dimensions themselves.
        from norch_autograd.ops.shape.view import reshape

        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        n, o = grad.array.shape[:2]
        db = sum(reshape(grad, n, o, -1), (0, 2)) if self.needs(2) else None
        return dx, dw, db
#: swapped
#: the gradients of the images and of the weights stand in each other's place. They come in the
#: order of the inputs: x, weight, bias.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, *range(2, grad.array.ndim))) if self.needs(2) else None
        return dw, dx, db
#: first_image_alone
#: you take the first image alone. The same bias was added to every image: sum over dimension 0.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad[0], tuple(range(1, grad.array.ndim - 1))) if self.needs(2) else None
        return dx, dw, db
#: reshaped
#: you reshape the gradient to a table with a column for each channel. `reshape` keeps the elements
#: in their order, and the places stand behind the channels: sum over dimensions instead.
        from norch_autograd.ops.shape.view import reshape
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        o = grad.array.shape[1]
        db = sum(reshape(grad, -1, o), 0) if self.needs(2) else None
        return dx, dw, db
#: zero_for_none
#: you return 0 where no gradient is wanted. A zero is a gradient too: `None` says that there is
#: none.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, *range(2, grad.array.ndim))) if self.needs(2) else 0
        return dx, dw, db
#: dims_move
#: you sum one dimension after the other and drop each, so the numbers of those behind it no longer
#: fit. Sum once, over all of them.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = None
        if self.needs(2):
            db = sum(grad, 0)
            for k in range(1, db.array.ndim):
                db = sum(db, k)
        return dx, dw, db
#: listed_by_hand
#: you list the dimensions for signals and images, and a volume finds none. Count from 2 up to
#: `grad.array.ndim`.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        dims = {3: (0, 2), 4: (0, 2, 3)}
        db = sum(grad, dims[grad.array.ndim]) if self.needs(2) else None
        return dx, dw, db
#: by_the_sizes
#: you choose dimensions by their sizes. Two of them may be equal: dimension 1 has the channels,
#: whatever sizes there are.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, tuple(d for d in range(grad.array.ndim) if grad.array.shape[d] != grad.array.shape[1])) if self.needs(2) else None
        return dx, dw, db
#: from_the_weights
#: you sum the gradient of the weights. The bias was added to the result: sum `grad`.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(dw, tuple(range(1, grad.array.ndim))) if self.needs(2) else None
        return dx, dw, db
#: kept_swapped
#: image and weight have changed places. `self.saved(0)` is the image, `self.saved(1)` the weight:
#: the gradient of one needs the other.
        dx = input_gradient(grad, self.saved(0), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(1), slide) if self.needs(1) else None
        db = sum(grad, (0, *range(2, grad.array.ndim))) if self.needs(2) else None
        return dx, dw, db
#: two_gradients
#: you return two gradients where the bias wants none. There is a place for each input: `None`
#: stands in it.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        if not self.needs(2):
            return dx, dw
        return dx, dw, sum(grad, (0, *range(2, grad.array.ndim)))
#: always_a_volume
#: you sum as for volumes. A signal has one dimension of places, an image two: count from 2 up to
#: `grad.array.ndim`.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, *range(2, 5))) if self.needs(2) else None
        return dx, dw, db
#: first_place_left
#: the first dimension of places is left. Sum over all of them: from number 2 on.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, *range(3, grad.array.ndim))) if self.needs(2) else None
        return dx, dw, db
#: images_and_channels
#: you sum over images and channels. Dimension 1 has the channels, and stays; the places behind it
#: are summed.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, 1)) if self.needs(2) else None
        return dx, dw, db
#: signals_and_images
#: your dimensions are those of signals and images. A volume has one more: count from 2 up to
#: `grad.array.ndim`.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, 2, 3) if grad.array.ndim == 4 else (0, 2)) if self.needs(2) else None
        return dx, dw, db
#: not_summed
#: you do not sum at all. The same bias was added to every image at every place: sum over both.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = grad[0, :] if self.needs(2) else None
        return dx, dw, db
#: mean
#: you divide by how many copies there were. Each did its own work in the loss, so what they send
#: adds up.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        n = grad.array.numel / grad.array.shape[1]
        db = sum(grad, (0, *range(2, grad.array.ndim))) / n if self.needs(2) else None
        return dx, dw, db
#: last_place_left
#: the last dimension of places is left. `range` stops before its end: count up to
#: `grad.array.ndim`.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(grad, (0, *range(2, grad.array.ndim - 1))) if self.needs(2) else None
        return dx, dw, db
#: detached
#: you detach what the answer is made of. A recorded pass takes the derivative of your answer too,
#: and finds no way on from there.
        from norch_autograd.ops.dtype.convert import detach
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = sum(detach(grad), (0, *range(2, grad.array.ndim))) if self.needs(2) else None
        return dx, dw, db
#: begins_with_the_first_image
#: you begin with the first image. A batch may be empty: a sum over no images is 0.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(1) else None
        db = None
        if self.needs(2):
            db = sum(grad[0], tuple(range(1, grad.array.ndim - 1)))
            for n in range(1, grad.array.shape[0]):
                db = db + sum(grad[n], tuple(range(1, grad.array.ndim - 1)))
        return dx, dw, db
#: weight_if_image
#: you work out the gradient of the weights only where that of the images is wanted. Each has its
#: own question.
        dx = input_gradient(grad, self.saved(1), slide) if self.needs(0) else None
        dw = _weight_gradient(grad, self.saved(0), slide) if self.needs(0) and self.needs(1) else None
        db = sum(grad, (0, *range(2, grad.array.ndim))) if self.needs(2) else None
        return dx, dw, db
