#: sums | drops: the gradient is the sum divided by `ranks`
#: you wrote back the sum. With N ranks that is a step N times too long: divide by the number of
#: ranks.
        counts = self.flags.tolist()
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: by_those_who_have_one | drops: a rank without a gradient counts as zeros
#: you divided by the number of ranks that have a gradient. The joined batch counts every example,
#: also those for which this parameter was not used: divide by all ranks.
        counts = self.flags.tolist()
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            view.div_(count)
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: zeros_for_nobody | drops: One that nobody had keeps its `grad` as it is
#: a parameter that no rank used got a gradient of zeros. To an optimizer, `None` means leave it
#: alone, and zeros mean a step (momentum, weight decay).
        self.flat.div_(ranks)
        for (_, parameter), view in zip(self.named, self.views, strict=True):
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: a_new_one | drops: in place where there is one
#: you put a new tensor where there was one. An optimizer or a hook may hold the old one, which
#: keeps this rank's own numbers: copy into it.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
#: a_view | drops: of its own
#: the new gradient is a part of the bucket, which the next backward fills with other numbers. It
#: needs memory of its own.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device)
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: none_left | drops: where it is `None`, make a tensor
#: a parameter without a gradient on this rank gets none. Other ranks had one, so its mean belongs
#: here too, or the models drift apart.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0 or parameter.grad is None:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: bucket_dtype | drops: with the parameter's dtype and device
#: a new gradient has the bucket's dtype. Half types travel as float32: convert it to the
#: parameter's.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: added | drops: Overwrite `parameter.grad`
#: you add the mean to this rank's own gradient, which is in the sum already.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().add_(view.to(parameter.device))
#: own_divided
#: you divide this rank's own gradient, and the others' never arrive: the sum is in the view.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().div_(ranks)
#: stops
#: you stop at the first parameter that nobody used. Those behind it have gradients.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                break
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: divided_twice
#: you divide twice: the views are parts of the buffer.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            view.div_(ranks)
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: by_the_divided_counts
#: you leave out what only some of the ranks have used. Its flag is below `ranks`, and below 1 where
#: it was read from the divided buffer; only 0 means nobody.
        self.flat.div_(ranks)
        counts = self.flags.tolist()
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count < 1:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: sums_overflow
#: you add before you divide, and the sum of large numbers is infinite though their mean is not.
        counts = self.flags.tolist()
        means = [(view + view) / (2 * ranks) for view in self.views]
        for (_, parameter), view, count in zip(self.named, means, counts, strict=True):
            if count == 0:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: flat_gradient
#: your new gradient is one-dimensional. It has the shape of its parameter.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            if parameter.grad is None:
                flat = view.reshape(-1)
                parameter.grad = flat.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: copied_into_a_copy
#: you write into a copy where the numbers of a gradient do not lie one behind the other: `reshape`
#: copies then. Copy into the gradient itself.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().reshape(-1).copy_(view.to(parameter.device).reshape(-1))
#: whole_division
#: you divide with `//`, which rounds down. A mean may be a fraction.
        counts = self.flags.tolist()
        self.flat.copy_(self.flat // ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: zeros_are_unused
#: you take a sum of zeros for one that nobody had. Gradients may be 0, or add up to 0: the flags
#: say who had one.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if not bool((view != 0).any()):
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: new_if_empty
#: you put a new tensor where the old one has no numbers. One that is there is overwritten, however
#: small.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            if parameter.grad is None or not parameter.grad.numel():
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: half_too_early
#: you convert the sum before it is divided. In half precision a large sum is infinite though the
#: mean is not.
        counts = self.flags.tolist()
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            mean = view.to(parameter.dtype).to(parameter.device) / ranks
            if parameter.grad is None:
                parameter.grad = mean.clone()
            else:
                parameter.grad.detach().copy_(mean)
#: nobody_gets_none
#: you take away the gradient of a parameter that nobody used. It keeps what it has.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                parameter.grad = None
            elif parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: divided_for_each
#: you divide the whole buffer once for each parameter. Once is enough: all views are parts of it.
        counts = self.flags.tolist()
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            self.flat.div_(ranks)
            if count == 0:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: into_the_weights
#: you write the means into the parameters themselves. They belong into their `grad`.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count:
                parameter.detach().copy_(view.to(parameter.device))
#: of_one_rank
#: you write only what exactly one rank had a gradient for. All that are not 0 are meant.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count != 1:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: nothing_written
#: the gradients stay what they were. The mean that came back belongs into each.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach()
#: one_of_them_is_nobody
#: you take a count of 1 for nobody. One rank had a gradient: its sum is over all ranks.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count <= 1:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
#: mixed_with_the_own
#: you mix this rank's own gradient in again, which is in the sum already.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().add_(view.to(parameter.device)).div_(2)
#: weighted_by_the_flags
#: you make the mean smaller by the share of the ranks that had a gradient. The sum divided by
#: `ranks` counts the others as zeros already.
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            mean = view * (count / ranks)
            if parameter.grad is None:
                parameter.grad = mean.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(mean.to(parameter.device))
