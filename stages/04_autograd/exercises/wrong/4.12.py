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
