        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [grad for grad in grads]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = None
