        with no_grad():
            pass
            while self._launched < len(self._buckets) and self._buckets[self._launched].is_full():
                self._launch_next()
