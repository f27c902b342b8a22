        length, count = self.T_0, 1
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            count += 1
            length = self.T_0 * (1 if self.T_mult == 1 else count * self.T_mult // 2)
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
