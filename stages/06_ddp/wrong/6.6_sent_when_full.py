        with no_grad():
            self._buckets[i].fill(slot)
            if self._buckets[i].is_full():
                self._buckets[i].launch(self._group)
                self._launched += 1
