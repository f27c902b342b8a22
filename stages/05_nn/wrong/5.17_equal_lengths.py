        epoch %= self.T_0
        return [along_cosine(base, self.eta_min, epoch / self.T_0) for base in self.base_lrs]
