        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = (indices * repeats)[: self.total_size]
        start = self.rank * self.num_samples
        return iter(indices[start : start + self.num_samples])
