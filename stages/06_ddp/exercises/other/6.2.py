#: endless_deal
#: the list goes round for ever, and a slice of that begins at the rank, ends at `total_size` and
#: takes every N-th. Nothing is repeated in memory, and an empty list is no special case; every rank
#: steps over the indices of all.
        from itertools import cycle, islice

        return islice(cycle(indices), self.rank, self.total_size, self.num_replicas)
