        self.flat.div_(ranks)
        for (_, parameter), view in zip(self.named, self.views, strict=True):
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
