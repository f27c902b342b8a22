#: blocks | drops: round and round
#: you cut the list into blocks, one for each rank. Here it is dealt card by card, as in PyTorch:
#: rank r gets every N-th index.
        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = (indices * repeats)[: self.total_size]
        start = self.rank * self.num_samples
        return iter(indices[start : start + self.num_samples])
#: not_padded | drops: if the list is too short, it begins again from its front
#: the shares are not equal when the length does not divide. A rank with one batch less leaves the
#: others waiting: repeat indices from the front.
        return iter(indices[: self.total_size][self.rank :: self.num_replicas])
#: padded_once | drops: as often as it takes
#: you put the list behind itself once. A list of 2 for 5 ranks must be repeated more often than
#: that.
        indices = (indices + indices)[: self.total_size]
        return iter(indices[self.rank :: self.num_replicas])
#: a_list | drops: an iterator
#: you return a list. `__iter__` returns what hands out one index after another: `iter(...)` makes
#: it of a list.
        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = (indices * repeats)[: self.total_size]
        return indices[self.rank :: self.num_replicas]
#: counted | drops: `indices` is the list of all indices
#: you count the indices yourself. Those in `indices` may be shuffled: deal out that list.
        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = (indices * repeats)[: self.total_size]
        places = range(self.rank, self.total_size, self.num_replicas)
        return iter([place % len(indices) for place in places])
#: never_cut | drops: if it is too long (`drop_last`), it is cut
#: you never cut the list, so the ranks together get more than `total_size`.
        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = indices * repeats
        return iter(indices[self.rank :: self.num_replicas])
#: empty | drops: it may be empty
#: you divide by the length of the list, and an empty one has none to divide by.
        repeats = math.ceil(self.total_size / len(indices))
        indices = (indices * repeats)[: self.total_size]
        return iter(indices[self.rank :: self.num_replicas])
#: last_repeated
#: you fill up with one index alone. The list begins again from its front.
        if indices:
            indices = indices[: self.total_size]
            indices = indices + [indices[-1]] * (self.total_size - len(indices)) if indices else []
        return iter(indices[self.rank :: self.num_replicas])
#: swapped
#: you exchanged the begin and the step of the slice: rank r begins at r and goes on by the number
#: of ranks.
        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = (indices * repeats)[: self.total_size]
        return iter(indices[self.num_replicas :: self.rank])
#: from_one
#: you count ranks from 1, so the first index belongs to nobody. Rank 0 gets it.
        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = (indices * repeats)[: self.total_size]
        return iter(indices[self.rank + 1 :: self.num_replicas])
#: always_cut
#: you cut the list wherever it does not divide, which is `drop_last=True` alone. Else it is filled
#: up.
        whole = len(indices) // self.num_replicas * self.num_replicas
        return iter(indices[:whole][self.rank :: self.num_replicas])
#: for_all | drops: over the indices of this rank
#: every rank gets all indices. They are dealt out: rank r gets the one at place r, and every N-th
#: from there.
        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = (indices * repeats)[: self.total_size]
        return iter(indices)
#: one_pass
#: you keep the iterator, so that two passes take from one another and a later one finds nothing.
#: Each pass deals anew.
        if indices and not hasattr(self, "dealt"):
            repeats = math.ceil(self.total_size / len(indices))
            indices = (indices * repeats)[: self.total_size]
            self.dealt = iter(indices[self.rank :: self.num_replicas])
        return self.dealt if indices else iter([])
#: sorted
#: you deal the indices in ascending order, sorted or counted anew. They may be shuffled, and are
#: dealt as they stand.
        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = (sorted(indices) * repeats)[: self.total_size]
        return iter(indices[self.rank :: self.num_replicas])
#: filled_from_the_back
#: you fill up with indices from the end of the list. It begins again from its front.
        missing = self.total_size - len(indices)
        while missing > 0 and indices:
            indices = indices + indices[-missing:]
            missing = self.total_size - len(indices)
        return iter(indices[: self.total_size][self.rank :: self.num_replicas])
#: each_repeated
#: you repeat each index on its own place. The list as a whole begins again: its first index comes
#: after its last.
        if indices:
            times = math.ceil(self.total_size / len(indices))
            indices = [i for i in indices for _ in range(times)][: self.total_size]
        return iter(indices[self.rank :: self.num_replicas])
#: repeats_rounded_down
#: you repeat the list too few times: where it does not fit evenly, the rest is missing. Round up,
#: then cut.
        if indices:
            indices = (indices * (self.total_size // len(indices)))[: self.total_size]
        return iter(indices[self.rank :: self.num_replicas])
#: one_before
#: you begin one index before that of this rank. Rank r begins at place r.
        if indices:
            indices = (indices * math.ceil(self.total_size / len(indices)))[: self.total_size]
        return iter(indices[self.rank - 1 :: self.num_replicas])
#: step_of_a_share
#: you step by the size of a share. Between two cards of a player every player gets one: the step is
#: the number of ranks.
        if indices:
            indices = (indices * math.ceil(self.total_size / len(indices)))[: self.total_size]
        return iter(indices[self.rank :: max(self.num_samples, 1)])
#: there_and_back
#: you deal there and back again. Each round begins with rank 0.
        if indices:
            indices = (indices * math.ceil(self.total_size / len(indices)))[: self.total_size]
        n, mine = self.num_replicas, []
        for turn in range(self.num_samples if indices else 0):
            row = indices[turn * n : (turn + 1) * n]
            mine.append(row[self.rank] if turn % 2 == 0 else row[-1 - self.rank])
        return iter(mine)
#: share_sorted
#: you sort this rank's indices. They may be shuffled, and come as they were dealt.
        if indices:
            indices = (indices * math.ceil(self.total_size / len(indices)))[: self.total_size]
        return iter(sorted(indices[self.rank :: self.num_replicas]))
#: own_share_repeated
#: you fill a share up with its own indices. It is the whole list that begins again, before it is
#: dealt.
        mine = indices[self.rank :: self.num_replicas] or indices[:1]
        while mine and len(mine) < self.num_samples:
            mine = mine + mine
        return iter(mine[: self.num_samples])
#: endless
#: your iterator never ends. Each rank gets `num_samples` indices.
        from itertools import cycle, islice

        return islice(cycle(indices), self.rank, None, self.num_replicas)
#: doubled_never_cut
#: you make the list longer and never cut it, so the ranks together get more than `total_size`.
        while indices and len(indices) < self.total_size:
            indices = indices * 2
        return iter(indices[self.rank :: self.num_replicas])
#: last_rank_first
#: you deal to the last rank first. Rank 0 gets the first index.
        if indices:
            indices = (indices * math.ceil(self.total_size / len(indices)))[: self.total_size]
        return iter(indices[self.num_replicas - 1 - self.rank :: self.num_replicas])
#: from_the_first
#: every rank begins with the first index. Rank r begins with the one at place r.
        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = (indices * repeats)[: self.total_size]
        return iter(indices[:: self.num_replicas])
#: all_from_here
#: a rank gets every index from its place on. It gets every N-th.
        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = (indices * repeats)[: self.total_size]
        return iter(indices[self.rank :])
