        whole = len(indices) // self.num_replicas * self.num_replicas
        return iter(indices[:whole][self.rank :: self.num_replicas])
