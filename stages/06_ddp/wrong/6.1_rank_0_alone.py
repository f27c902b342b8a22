        if self._group.rank == 0:
            for tensor in [*self.module.parameters(), *self.module.buffers()]:
                broadcast(tensor, src=0)
