        if self._group.rank == rank:
            for tensor in [*self.module.parameters(), *self.module.buffers()]:
                broadcast(tensor, self._group.ranks[rank], self._group)
