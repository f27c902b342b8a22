        repeats = math.ceil(self.total_size / len(indices))
        indices = (indices * repeats)[: self.total_size]
        return iter(indices[self.rank :: self.num_replicas])
