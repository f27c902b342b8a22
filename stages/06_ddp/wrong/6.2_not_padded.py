        return iter(deck[: self.total_size][self.rank :: self.num_replicas])
