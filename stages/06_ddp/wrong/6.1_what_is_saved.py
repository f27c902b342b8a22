        for tensor in self.module.state_dict().values():
            broadcast(tensor, self._group.ranks[rank], self._group)
