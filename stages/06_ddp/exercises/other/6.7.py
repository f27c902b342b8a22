#: each_by_itself
#: each view is divided into a new tensor, and the buffer keeps its sums. The flags can be read at
#: any time, and what nobody had is not divided; every parameter needs memory for its mean for a
#: moment, and many small divisions take longer than one large.
        for (_, parameter), view, count in zip(
            self.named, self.views, self.flags.tolist(), strict=True
        ):
            if count > 0:
                mean = (view / ranks).to(parameter.dtype).to(parameter.device)
                if parameter.grad is None:
                    parameter.grad = mean
                else:
                    parameter.grad.detach().copy_(mean)
