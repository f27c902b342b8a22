        self._found.append((mode.enabled, mode.inference))
        mode.enabled = False
        if self._inference is not None:
            mode.inference = self._inference
        return self
