#: same_list | drops: as a new list
#: you yield one list again and again and empty it in between. Whoever kept the first batch finds
#: the last one in it.
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch.clear()
        if batch and not self.drop_last:
            yield batch
#: rest_lost | drops: yield it too
#: you lose the short last batch. Without `drop_last`, every sample must be seen in every epoch.
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
#: never_dropped | drops: unless `self.drop_last`
#: you never ask for `drop_last`. A short last batch is left out where that was asked for.
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            yield batch
#: dropped_if_not_asked
#: you turned `drop_last` over.
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and not self.drop_last:
                return
            yield batch
#: one_more | drops: `self.batch_size` at a time
#: you take one index too many for each batch.
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size + 1)):
            if len(batch) < self.batch_size + 1 and self.drop_last:
                return
            yield batch
#: one_less
#: you take one index too few for each batch.
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, max(1, self.batch_size - 1))):
            if len(batch) < max(1, self.batch_size - 1) and self.drop_last:
                return
            yield batch
#: sorted | drops: in their order
#: you sort the indices of a batch. The sampler's order is what a shuffle is for.
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield sorted(batch)
#: read_whole | drops: Do not read the whole sampler first
#: you read the whole sampler first. It may be endless, and then the first batch never comes.
        indices = iter(list(self.sampler))
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch
#: empty_batch
#: you yield an empty batch at the end. Where nothing is left, nothing is yielded.
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if not self.drop_last:
            yield batch
#: one_by_one
#: you yield the indices one after the other. A batch is a list of them.
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield from batch
#: an_iterator
#: you yield an iterator. It can be read once; a batch is a list.
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield iter(batch)
#: one_batch
#: you yield one batch and stop: it takes a loop.
        indices = iter(self.sampler)
        if batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch
#: a_tuple
#: you yield tuples. A batch is a list.
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield tuple(batch)
#: last_always_dropped
#: you drop the last batch even if it is full. Only a shorter one is left out.
        indices = iter(self.sampler)
        batch = list(itertools.islice(indices, self.batch_size))
        while batch:
            following = list(itertools.islice(indices, self.batch_size))
            if self.drop_last and not following:
                return
            yield batch
            batch = following
#: stops_at_a_falsy_index
#: you stop at the first index that counts as False. An index may be anything: ask whether the batch
#: is empty, or let `islice` stop.
        batch = []
        indices = iter(self.sampler)
        while index := next(indices, None):
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch
#: one_pass
#: you keep the iterator on `self`, so that a second pass finds it at its end, and two passes take
#: from one another. Begin anew each time.
        if not hasattr(self, "indices"):
            self.indices = iter(self.sampler)
        while batch := list(itertools.islice(self.indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch
#: each_once
#: you leave out an index that came already. A sampler may draw one twice.
        indices = iter(self.sampler)
        while batch := list(dict.fromkeys(itertools.islice(indices, self.batch_size))):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch
#: by_place
#: you ask the sampler for its length and for its n-th index. It can only be gone through.
        for start in range(0, len(self.sampler), self.batch_size):
            batch = list(self.sampler)[start : start + self.batch_size]
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch
#: whole_numbers
#: you make whole numbers of the indices. They are passed on as they are, whatever they are.
        indices = iter(self.sampler)
        while batch := [int(index) for index in itertools.islice(indices, self.batch_size)]:
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch
#: short_or_dropped
#: you stop at a short batch, or wherever `drop_last` is set. Both must hold.
        indices = (index for index in self.sampler)  # asked for iter() once, and may begin anew
        while batch := list(itertools.islice(indices, min(self.batch_size, sys.maxsize))):
            if len(batch) < self.batch_size or self.drop_last:
                return
            yield batch
#: all_dropped
#: with `drop_last` you drop every batch. Only one that is too short is left out.
        indices = (index for index in self.sampler)  # asked for iter() once, and may begin anew
        while batch := list(itertools.islice(indices, min(self.batch_size, sys.maxsize))):
            if self.drop_last:
                return
            yield batch
