#: both_settings_at_once
#: the pair is made first, the one to restore and the one to set, and each is used as a whole, as
#: `__exit__` does it. One rule serves both settings: where none is wanted, the one found stays. It
#: writes inference mode also where nothing changes.
        found = mode.enabled, mode.inference
        wanted = self._enabled, self._inference
        self._found.append(found)
        mode.enabled, mode.inference = (
            old if new is None else new for old, new in zip(found, wanted, strict=True)
        )
        return self
