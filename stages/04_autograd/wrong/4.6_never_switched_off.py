        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        if self._inference:
            mode.inference = True
        return self
