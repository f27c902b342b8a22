        length = self.T_0 - 1 or 1
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
