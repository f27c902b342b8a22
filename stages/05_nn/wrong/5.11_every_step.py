        grown = self._scale * self._growth_factor
        self._scale = grown if math.isfinite(grown) else self._scale
