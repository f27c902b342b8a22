        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            broadcast(tensor, src=self._group.rank)
