        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = (indices * repeats)[: self.total_size]
        places = range(self.rank, self.total_size, self.num_replicas)
        return iter([place % len(indices) for place in places])
