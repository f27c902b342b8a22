        if indices:
            indices = indices[: self.total_size]
            indices = indices + [indices[-1]] * (self.total_size - len(indices)) if indices else []
        return iter(indices[self.rank :: self.num_replicas])
