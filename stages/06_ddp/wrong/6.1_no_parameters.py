        for tensor in self.module.buffers():
            broadcast(tensor, self._group.ranks[rank], self._group)
