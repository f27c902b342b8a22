        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = self._scale + self._growth_factor
            self._scale = grown if math.isfinite(grown) else self._scale
            self._growth_tracker = 0
