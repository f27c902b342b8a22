#: swapped | drops: return `(fan_in, fan_out)`
#: you return fan out first. The weight of `Linear(784, 30)` has shape (30, 784): an output reads
#: dimension 1.
    places = math.prod(tensor.shape[2:])
    return tensor.shape[0] * places, tensor.shape[1] * places
#: no_kernel | drops: all places of the kernel
#: you forgot the places of the kernel. A 3 x 3 convolution reads nine numbers of each channel, so
#: its weights must start smaller.
    return tensor.shape[1], tensor.shape[0]
#: kernel_in_alone
#: you count the places of the kernel for fan in alone. One input feeds all of them too.
    receptive = math.prod(tensor.shape[2:])
    return tensor.shape[1] * receptive, tensor.shape[0]
#: kernel_out_alone
#: you count the places of the kernel for fan out alone. One output reads all of them too.
    receptive = math.prod(tensor.shape[2:])
    return tensor.shape[1], tensor.shape[0] * receptive
#: one_side
#: you take one side of the kernel. It has height times width places, or more sides still.
    receptive = math.prod(tensor.shape[2:3])
    return tensor.shape[1] * receptive, tensor.shape[0] * receptive
#: last_side
#: you take the last side of the kernel alone. All sides are multiplied.
    receptive = math.prod(tensor.shape[2:][-1:])
    return tensor.shape[1] * receptive, tensor.shape[0] * receptive
#: sides_added
#: you add the sides of the kernel. A kernel of 3 x 3 has nine places.
    receptive = (sum(tensor.shape[2:]) or 1)
    return tensor.shape[1] * receptive, tensor.shape[0] * receptive
#: one_channel | drops: in every input channel
#: you count one input channel. An output reads the places of the kernel in each of them.
    receptive = math.prod(tensor.shape[2:])
    return (receptive if tensor.ndim > 2 else tensor.shape[1]), tensor.shape[0] * receptive
#: outputs_read | drops: one output reads `in` numbers
#: you return the outputs twice. A row of a weight (out, in) has `in` numbers, and an output reads
#: a row.
    receptive = math.prod(tensor.shape[2:])
    return tensor.shape[0] * receptive, tensor.shape[0] * receptive
#: inputs_feed | drops: one input feeds `out` of them
#: you return the inputs twice. A column of a weight (out, in) has `out` numbers, one for each
#: output that the input feeds.
    receptive = math.prod(tensor.shape[2:])
    return tensor.shape[1] * receptive, tensor.shape[1] * receptive
#: all_numbers
#: you count all numbers of the weight. One output reads those that belong to it.
    count = tensor.numel()
    return count, count
#: a_list
#: you return a list. The caller takes a pair, a tuple.
    receptive = math.prod(tensor.shape[2:])
    return [tensor.shape[1] * receptive, tensor.shape[0] * receptive]
#: divided
#: you divide the number of all elements by a size. A size may be 0, as of a layer without outputs:
#: multiply the other sizes.
    return tensor.numel() // tensor.shape[0], tensor.numel() // tensor.shape[1]
#: first_row
#: you count the numbers of the first row. A weight may have no rows or no columns, and then there
#: is no first one: multiply the other sizes.
    return tensor[0].numel(), tensor[:, 0].numel()
#: one_place_at_least
#: you take a kernel without places for one with one place. The product of its sides is 0 then, and
#: no number is read.
    receptive = math.prod(tensor.shape[2:]) or 1
    return tensor.shape[1] * receptive, tensor.shape[0] * receptive
