        with no_grad():
            self._buckets[i].fill(slot)
            if self._launched == i and self._buckets[i].is_full():
                self._launch_next()
