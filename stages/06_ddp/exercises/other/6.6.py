#: walk_until_not_full
#: a loop walks over those that have not left and stops at the first that is not full. No index is
#: compared with a length; a slice of the list is made for each gradient.
        with no_grad():
            self._buckets[i].add(slot)
            for bucket in self._buckets[self._flushed :]:
                if not bucket.is_full():
                    break
                self._flush_next()
