        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            broadcast(tensor.detach().clone(), self._group.ranks[rank], self._group)
