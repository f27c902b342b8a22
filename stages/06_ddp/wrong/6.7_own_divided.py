        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().div_(ranks)
