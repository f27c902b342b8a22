        with no_grad():
            self._buckets[i].fill(slot)
            while self._launched < len(self._buckets) and all(bucket.is_full() for bucket in self._buckets):
                self._launch_next()
