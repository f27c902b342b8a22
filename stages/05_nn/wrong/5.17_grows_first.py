        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            length *= self.T_mult
            epoch = max(0, epoch - length)
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
