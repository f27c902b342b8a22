        self.past += k.shape[-2]
        end = min(self.past + k.shape[-2], self.length)
        self.k[..., self.past : end, :] = k[..., : end - self.past, :]
        self.v[..., self.past : end, :] = v[..., : end - self.past, :]
        return self.k[..., : self.past, :], self.v[..., : self.past, :]
