#: sum_then_divide
#: the ranks' gradients are added up, and each rank divides its own rows. A transport that cannot
#: average is enough; the division is one operation more, and a sum may overflow in half precision
#: where a mean does not.
        for pairs in trained:
            shards = [shard for _, shard in pairs]
            parts = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(parts, ReduceOp.SUM, self._group)
            for shard, part in zip(shards, parts, strict=True):
                mean = part / self._group.size
                shard.grad = mean if self.average_gradients else shard.shard.take(part)
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = None
