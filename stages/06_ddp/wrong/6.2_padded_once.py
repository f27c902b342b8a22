        indices = (indices + indices)[: self.total_size]
        return iter(indices[self.rank :: self.num_replicas])
