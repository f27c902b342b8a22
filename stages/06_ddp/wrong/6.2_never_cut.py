        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = indices * repeats
        return iter(indices[self.rank :: self.num_replicas])
