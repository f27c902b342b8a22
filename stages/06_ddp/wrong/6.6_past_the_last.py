        with no_grad():
            self._buckets[i].fill(slot)
            while self._buckets[self._launched].is_full():
                self._launch_next()
