        length = self.T_0
        while epoch > length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
