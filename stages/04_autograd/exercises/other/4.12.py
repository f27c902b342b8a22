#: by_the_numbers_of_pixels
#: the window slides once more, over the numbers of the pixels (0 for the padding), and so says
#: which pixel each element came from; one `index_add` gives all of them back. Nothing is reckoned
#: about strides, and no slice is padded; but tables of numbers are made, and scattered additions
#: are slower than adding whole images.
        from norch_autograd.ops.indexing.gather import index_add

        given = cat([flatten(seen, -len(whole)) for seen in slices], -1)
        pixels = arange_like(given, tuple(size)) + 1
        index = cat([flatten(numbers) for _, numbers in self.slices(pixels)])
        batch = given.array.shape[:-1]
        total = constant(given, 0, (*batch, math.prod(size) + 1))
        total = index_add(total, -1, index, given)
        return reshape(total[..., 1:], *batch, *size)
