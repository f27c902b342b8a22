#: logarithm
#: falls of growing length begin at T_0 (T_multⁿ - 1) / (T_mult - 1), so a logarithm says which one
#: it is, without a loop over them. The logarithm of a power is not exact: its neighbours have to
#: be tried, which makes this the longer answer.
        from math import log

        start, length = epoch // self.T_0 * self.T_0, self.T_0
        if self.T_mult > 1:
            guess = int(log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            for n in range(max(guess - 1, 0), guess + 2):
                begins = self.T_0 * (self.T_mult**n - 1) // (self.T_mult - 1)
                if begins <= epoch:
                    start, length = begins, self.T_0 * self.T_mult**n
        part = (epoch - start) / length
        return [along_cosine(base, self.eta_min, part) for base in self.base_lrs]
