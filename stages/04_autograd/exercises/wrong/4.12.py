#: no_stride | drops: n * stride
#: you put the elements of a slice side by side. The window moved by `stride`, so what it saw lies
#: that far apart.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = seen
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: no_dilation | drops: i * dilation
#: you begin at the number of the place. With a dilation the places of the window lie that far
#: apart: place i begins at i * dilation.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = list(place)
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: overwrites | drops: gets the sum of theirs
#: a slice replaces those before it wherever it has something. A pixel that several windows saw
#: gets the sum of their gradients.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            here = pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
            total = here + total * (here == 0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: last_alone
#: each slice takes the place of the total, and the last one alone is left. What several windows
#: saw gets the sum: add each slice to those before it.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: padding_kept | drops: what belongs to the padding is dropped
#: your gradient is as large as the padded image. The padding was nobody's input: cut it off.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        return total
#: cut_at_the_end
#: you cut the padding off at the end alone. It lies on both sides: the image begins at `padding`.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(0, n) for n in size)
        return total[(..., *inside)]
#: cut_by_minus_p
#: you cut up to `-p`. Without padding p is 0, and a slice up to -0 is empty: begin at p, and take
#: n.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        return total[(..., *(slice(p, -p) for p in self.padding))]
#: of_the_image | drops: whose size is `whole`
#: you fill up to the size of the image. The slices were read from the padded image, `whole`: fill
#: up to that, and cut afterwards.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(size, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: window_turned
#: you turned the window over: the first place ends up where the last one saw. The way back puts
#: each slice where it was read.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [(k - 1 - i) * d for k, i, d in zip(self.kernel, place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: zeros_swapped
#: the zeros before and after a slice have changed places. Before it come as many as it begins
#: further on.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(ends, starts, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: first_place_alone | drops: one tensor (..., *count) for each place
#: only the first place of the window sends something back. Every place saw a slice of the image:
#: add up all of them.
        seen = next(iter(slices))
        spread = _apart(seen, self.stride)
        sizes = spread.array.shape[-len(whole) :]
        widths = [(0, w - n) for w, n in zip(whole, sizes, strict=True)]
        total = pad_image(spread, widths, 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: only_before
#: you put zeros before a slice and none behind it. Each must become as large as the padded image
#: before they can be added.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            ends = [0] * len(starts)
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: averaged
#: you divided by how many places the window has. Each place did its own work in the result, so
#: their gradients add up.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)] / math.prod(self.kernel)
#: moved_by_strides
#: you multiply the number of the place by the stride. The stride is how far the window moves;
#: inside it, places lie `dilation` apart.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.stride, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: first_sizes
#: you take the first sizes of a slice. Images of a batch and channels stand in front: the last ones
#: are those of the window.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[:len(whole)]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: cut_in_front
#: you cut the first dimensions. Images of a batch and channels stand in front: `total[(...,
#: *inside)]` cuts the last ones.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        return total[tuple(slice(p, p + n) for p, n in zip(self.padding, size, strict=True))]
#: filled_by_the_window
#: you fill up by the size of the window. Where the stride leaves a rest, the last window ends
#: before the image does: fill up to `whole`.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            ends = [(k - 1 - i) * d for k, i, d in zip(self.kernel, place, self.dilation, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: one_dilation
#: you use the dilation of the first dimension for all. Each dimension has its own.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * self.dilation[0] for i in place]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: one_padding
#: you cut all dimensions by the padding of the first. Each dimension has its own.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        p = self.padding[0]
        return total[(..., *(slice(p, p + n) for n in size))]
#: cut_too_short
#: you cut from p up to n. The image begins at p and has n pixels, so it ends at p + n.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [max(0, w - s - n) for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: slices_by_number | drops: gives, once
#: you ask for slices by their number. They come one after the other, and may be made only then: go
#: through them together with the places.
        total: Any = 0
        for k, place in enumerate(self.places()):
            spread = _apart(slices[k], self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: slices_taken_out
#: you take the slices out of a list. They may come from a generator, and a list belongs to the
#: caller: go through them together with the places.
        total: Any = 0
        for place in self.places():
            spread = _apart(slices.pop(0), self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: stride_and_dilation_swapped
#: stride and dilation have changed places. Places of the window lie `dilation` apart; what one
#: place saw, `stride` apart.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.dilation)
            starts = [i * d for i, d in zip(place, self.stride, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: ones_around
#: you put ones around the slices. Where a place saw nothing it sends nothing: 0.0.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 1.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: widths_turned
#: the pairs of zeros are in the opposite order. `pad_image` takes one for each of the last
#: dimensions, in their order.
        total: Any = 0
        for place, seen in zip(self.places(), slices):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            widths = list(zip(starts, ends, strict=True))[::-1]
            total = total + pad_image(spread, widths, 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: one_too_close
#: you pull a slice apart by one less than the stride. `_apart` takes the stride, and puts stride -
#: 1 zeros itself.
        total: Any = 0
        for place, seen in zip(self.places(), slices):
            spread = seen
            for _ in range(1):
                spread = _apart(spread, [s - 1 for s in self.stride])
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: padding_on_top
#: you begin further on by the padding. Position i * dilation + n * stride is one of the padded
#: image already.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d + p for i, d, p in zip(place, self.dilation, self.padding, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [max(0, w - s - n) for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: one_stride
#: you use the stride of the first dimension for all. Each dimension has its own.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride[:1] * len(self.stride))
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: too_much_behind
#: you put too many zeros behind a slice. What came before counts too: it fills up to `whole`.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - n for w, n in zip(whole, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: end_kept
#: you cut the padding off in front alone. It lies on both sides: begin at p, and take n.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, w) for p, w in zip(self.padding, whole, strict=True))
        return total[(..., *inside)]
#: cut_each_time
#: you cut the padding off after each slice. All slices are as large as the padded image: cut once,
#: at the end.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
            inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
            total = total[(..., *inside)]
        return total
#: dilation_added
#: you add the dilation to the number of the place. Places lie that far apart: multiply.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i + d - 1 for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: detached
#: you detach what the answer is made of. A recorded pass takes the derivative of your answer too,
#: and finds no way on from there.
        total: Any = 0
        from norch_autograd.ops.dtype.convert import detach
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(detach(seen), self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: cut_to_the_steps
#: you cut to the number of steps of the window. The gradient has the size of the image: `size`.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, self.count, strict=True))
        return total[(..., *inside)]
#: places_in_another_order
#: you go through the places in another order than the slices. They come in that of `self.places()`.
        total: Any = 0
        given = list(slices)
        places = sorted(self.places(), key=lambda place: place[::-1])
        for place, seen in zip(places, given, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            total = total + pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
#: begun_anew
#: you begin the total anew on the way. All slices are added up: begin once, before the loop.
        total: Any = 0
        for place, seen in zip(self.places(), slices, strict=True):
            spread = _apart(seen, self.stride)
            starts = [i * d for i, d in zip(place, self.dilation, strict=True)]
            sizes = spread.array.shape[-len(whole) :]
            ends = [w - s - n for w, s, n in zip(whole, starts, sizes, strict=True)]
            here = pad_image(spread, list(zip(starts, ends, strict=True)), 0.0)
            total = here if place[0] == 0 else total + here
        inside = (slice(p, p + n) for p, n in zip(self.padding, size, strict=True))
        return total[(..., *inside)]
