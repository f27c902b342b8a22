        deck = (deck + deck)[: self.total_size]
        return iter(deck[self.rank :: self.num_replicas])
