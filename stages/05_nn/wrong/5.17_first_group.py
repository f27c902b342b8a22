        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(self.base_lrs[0], self.eta_min, epoch / length)] * len(self.base_lrs)
