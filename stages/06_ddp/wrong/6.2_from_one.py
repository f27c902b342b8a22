        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = (indices * repeats)[: self.total_size]
        return iter(indices[self.rank + 1 :: self.num_replicas])
