#: own_gradients
#: each rank steps with the gradients of its own batch. Its rows need the mean over all ranks: that
#: is what the reduce-scatter brings.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = None
#: sums | drops: the mean of all ranks' gradients
#: you step with the sum of the gradients. With N ranks that is N times the mean, as if the
#: learning rate were N times as large.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.SUM, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = None
#: averaged_twice | drops: the gradients are means already
#: you send gradients that DDP has averaged already. Their mean is the same once more, and the
#: message is for nothing: without `average_gradients` cut this rank's rows out.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = None
#: not_gathered | drops: the parameters are equal on all ranks
#: nobody gets the rows that the others have updated. After the step every rank's parameters are
#: new in its own rows and old in all others.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            for _, shard in pairs:
                shard.grad = None
#: gathered_first
#: you gather before the step, and so the old rows travel.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
        self.optim.step()
        for pairs in trained:
            for _, shard in pairs:
                shard.grad = None
#: gradients_kept | drops: no shard keeps a gradient
#: the shards keep their gradients after the step: memory for nothing, and a parameter that gets
#: none in the next backward would be stepped with the old one.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, _), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
#: steps_for_each_list
#: you step once for each list. The optimizer updates all shards that have a gradient, so those of
#: the first list are updated again.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
            self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = None
#: one_by_one | drops: all pairs of a list share one of each
#: every parameter has a message of its own. Those of a list share one: a latency is paid for each
#: message.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = []
                for grad in grads:
                    parts += reduce_scatter_rows([grad], ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = None
#: shares_gathered
#: you write what was gathered into this rank's rows, which are new already. The other rows are in
#: the parameter.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (_, shard), whole in zip(pairs, wholes, strict=True):
                shard.detach().copy_(shard.shard.take(whole))
                shard.grad = None
#: first_list_alone | drops: `trained` is a list of lists
#: only the first list of parameters is updated. An optimizer may have several groups of them.
        for pairs in trained[:1]:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained[:1]:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = None
#: not_stepped | drops: Afterwards all rows are updated
#: no row is updated: the optimizer does not step, or finds no gradient in the shards. Parameters go
#: round unchanged.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = None
#: whole_gradient | drops: `shard.shard.take(whole)` gives this rank's rows
#: where gradients are means already, a shard gets the whole gradient. It has only this rank's
#: rows.
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
#: gradient_of_the_parameter_taken
#: you take the gradient off the parameters. They keep it until `zero_grad`: only the shards forget
#: theirs.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = parameter.grad = None
#: first_list_asked
#: you look at the first list, and there may be none: no parameter had a gradient.
        average = self.average_gradients and trained[0] is not None
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if average:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = None
#: single_precision
#: you send float32. A parameter in double precision loses half of its digits on the way.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole.float())
                shard.grad = None
#: gradients_all_ones
#: you give every shard a gradient, also those of parameters that have none. They are left alone,
#: and zeros would move them, with momentum or weight decay.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        every = [p for group in self.optim.param_groups for p in group["params"]]
        for shard in every:
            shard.grad = shard * 0 + 1 if shard.grad is None else shard.grad
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = None
#: means_divided
#: where gradients are means already, you divide them once more.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad).clone().div_(self._group.size) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = None
#: whole_gradients_changed
#: you divide the whole gradients in place. They belong to the parameters, and stay as they are.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                grads = [grad.div_(self._group.size) for grad in grads]
                parts = reduce_scatter_rows(grads, ReduceOp.SUM, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = None
#: gradients_zeroed
#: the shards keep gradients of zeros. The next step would move such a parameter, with momentum or
#: weight decay: None means leave it alone.
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad.zero_()
