        length, grows = self.T_0, self.T_mult
        if grows == 1:
            epoch %= length
        else:
            n = int(math.log(epoch / length * (grows - 1) + 1, grows))
            epoch -= length * (grows**n - 1) / (grows - 1)
            length *= grows**n
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
