        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past = k.shape[-2]
        return self.k[..., :now, :], self.v[..., :now, :]
