        return iter(indices[: self.total_size][self.rank :: self.num_replicas])
