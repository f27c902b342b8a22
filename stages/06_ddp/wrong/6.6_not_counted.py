        with no_grad():
            self._buckets[i].fill(slot)
            for bucket in self._buckets[self._launched :]:
                if not bucket.is_full():
                    break
                bucket.launch(self._group)
