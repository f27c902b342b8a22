        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            broadcast(tensor, self._group.ranks[0], self._group)
