        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            broadcast(tensor, rank, self._group)
