        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
