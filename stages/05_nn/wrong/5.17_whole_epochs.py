        length, epoch = self.T_0, int(epoch)
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
