#: source_alone | drops: every rank's model
#: only the source makes the call. A broadcast is no letter that arrives by itself: every rank must
#: call it, the receivers too.
        if self._group.rank == rank:
            for tensor in [*self.module.parameters(), *self.module.buffers()]:
                broadcast_coalesced([tensor], self._group.ranks[rank], self._group)
#: own_source
#: each rank named itself as the source. `src` is the one rank that everybody copies from: the same
#: number everywhere.
        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            broadcast_coalesced([tensor], self._group.ranks[self._group.rank], self._group)
#: no_buffers | drops: and `buffers()`
#: the parameters are equal and the buffers are not. Running means are part of a model too, though
#: no gradient trains them.
        for tensor in self.module.parameters():
            broadcast_coalesced([tensor], self._group.ranks[rank], self._group)
#: receivers_alone
#: the source makes no call. A collective is a call of all ranks: the one that sends makes it too.
        if self._group.rank != rank:
            for tensor in [*self.module.parameters(), *self.module.buffers()]:
                broadcast_coalesced([tensor], self._group.ranks[rank], self._group)
#: place_for_number | drops: these numbers are `self._group.ranks`
#: you give the place in the group, and `broadcast_coalesced` wants a rank's number among all: of
#: the group [2, 4], place 0 is rank 2.
        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            broadcast_coalesced([tensor], rank, self._group)
#: always_the_first | drops: `rank` counts in the group
#: the first rank of the group is always the source. Here it is the one at place `rank`.
        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            broadcast_coalesced([tensor], self._group.ranks[0], self._group)
#: no_group | drops: on every rank of a group
#: you leave the group out. Then all ranks of the job have to make the call, and those outside the
#: group never do.
        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            broadcast_coalesced([tensor], self._group.ranks[rank])
#: no_parameters | drops: it has `parameters()`
#: the buffers are equal and the parameters are not.
        for tensor in self.module.buffers():
            broadcast_coalesced([tensor], self._group.ranks[rank], self._group)
#: trained_alone | drops: (or frozen)
#: you copy only the parameters that are trained. A frozen one takes part in every forward: it must
#: be equal too.
        for tensor in [*(p for p in self.module.parameters() if p.requires_grad), *self.module.buffers()]:
            broadcast_coalesced([tensor], self._group.ranks[rank], self._group)
#: what_is_saved
#: you go through `state_dict()`, which has only what is saved. Some buffers are not, and belong to
#: the model all the same.
        for tensor in self.module.state_dict().values():
            broadcast_coalesced([tensor], self._group.ranks[rank], self._group)
#: pairs
#: you pass on pairs of name and tensor: `named_parameters()` yields these, `parameters()` the
#: tensors alone.
        for tensor in [*self.module.named_parameters(), *self.module.named_buffers()]:
            broadcast_coalesced([tensor], self._group.ranks[rank], self._group)
#: copies | drops: in place
#: what is overwritten is a copy, so the model keeps its numbers. Hand over the tensors of the
#: model themselves.
        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            broadcast_coalesced([tensor.detach().clone()], self._group.ranks[rank], self._group)
#: top_alone
#: you copy the tensors of the module itself. Those of its parts belong to the model too:
#: `parameters()` and `buffers()` walk over all of it.
        for tensor in [*self.module._parameters.values(), *self.module._buffers.values()]:
            broadcast_coalesced([tensor], self._group.ranks[rank], self._group)
#: floats_alone
#: you copy only what is a floating number. A count, as batch norm keeps one, belongs to the model
#: too.
        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            if tensor.is_floating_point():
                broadcast_coalesced([tensor], self._group.ranks[rank], self._group)
#: flattened
#: you send a flat copy where the numbers of a tensor do not lie one behind the other, and what
#: comes is lost. Hand over the tensor itself.
        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            broadcast_coalesced([tensor.detach().reshape(-1)], self._group.ranks[rank], self._group)
#: first_number_asked
#: you look at the first number of a tensor, and there may be none.
        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            if tensor.detach().reshape(-1)[0] == tensor.detach().reshape(-1)[0]:
                broadcast_coalesced([tensor], self._group.ranks[rank], self._group)
#: through_single_precision
#: what travels is a copy in float32. A tensor in double precision loses half of its digits: hand
#: over the tensor itself.
        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            sent = tensor.detach().float()
            broadcast_coalesced([sent], self._group.ranks[rank], self._group)
            tensor.detach().copy_(sent)
#: other_order
#: your ranks go through the tensors in different orders. The first call of one is answered by the
#: first call of the others, so all must make the same calls in the same order.
        tensors = [*self.module.parameters(), *self.module.buffers()]
        for tensor in tensors if self._group.rank == rank else tensors[::-1]:
            broadcast_coalesced([tensor], self._group.ranks[rank], self._group)
#: frozen
#: you switch off that the tensors learn, and never switch it on again. `broadcast_coalesced` may
#: overwrite them as they are.
        for tensor in [*self.module.parameters(), *self.module.buffers()]:
            tensor.requires_grad_(False)
            broadcast_coalesced([tensor], self._group.ranks[rank], self._group)
