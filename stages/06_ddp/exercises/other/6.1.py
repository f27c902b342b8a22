#: one_message
#: all tensors of one kind travel side by side in one message and are copied out of it. A model of
#: a hundred tensors then pays one latency instead of a hundred; for that moment it is in memory
#: twice.
        from norch_autograd import cat

        kinds: dict[Any, list[Any]] = {}
        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            kinds.setdefault((tensor.dtype, str(tensor.device)), []).append(tensor.detach())
        for tensors in kinds.values():
            flat = cat([tensor.reshape(-1) for tensor in tensors])
            broadcast(flat, self._group.ranks[rank], self._group)
            start = 0
            for tensor in tensors:
                tensor.copy_(flat[start : start + tensor.numel()].reshape(tensor.shape))
                start += tensor.numel()
