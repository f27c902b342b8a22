        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past = now
        return self.k[..., : now + 1, :], self.v[..., : now + 1, :]
