        if deck:
            repeats = math.ceil(self.total_size / len(deck))
            deck = (deck * repeats)[: self.total_size]
        start = self.rank * self.num_samples
        return iter(deck[start : start + self.num_samples])
