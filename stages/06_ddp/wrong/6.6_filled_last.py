        with no_grad():
            while self._launched < len(self._buckets) and self._buckets[self._launched].is_full():
                self._launch_next()
            self._buckets[i].fill(slot)
