        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        return self
