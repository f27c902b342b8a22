        for tensor in [*self.module.named_parameters(), *self.module.named_buffers()]:
            broadcast(tensor, self._group.ranks[rank], self._group)
