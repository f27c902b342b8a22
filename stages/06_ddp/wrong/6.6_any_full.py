        with no_grad():
            self._buckets[i].fill(slot)
            for bucket in self._buckets[self._launched :]:
                if bucket.is_full():
                    self._launch_next()
