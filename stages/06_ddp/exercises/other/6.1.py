#: one_message_each
#: each tensor travels in a message of its own. Nothing is in memory twice, and a model of a hundred
#: tensors pays a hundred latencies instead of one.
        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            broadcast_coalesced([tensor], self._group.ranks[rank], self._group)
