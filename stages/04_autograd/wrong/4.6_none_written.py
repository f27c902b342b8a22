        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        mode.inference = self._inference
        return self
