        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(self.eta_min, base, epoch / length) for base in self.base_lrs]
