        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
