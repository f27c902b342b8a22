        for tensor in [*(p for p in self.module.parameters() if p.requires_grad), *self.module.buffers()]:
            broadcast(tensor, self._group.ranks[rank], self._group)
