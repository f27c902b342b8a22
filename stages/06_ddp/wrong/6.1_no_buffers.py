        for tensor in self.module.parameters():
            broadcast(tensor, self._group.ranks[rank], self._group)
