        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        self._found.append((mode.enabled, mode.inference))
        return self
