#: sent_when_full | drops: in the order of `self._buckets`
#: a bucket leaves as soon as it is full. Another rank may fill its buckets in another order, and
#: then one rank's bucket 1 would be added to the other's bucket 0.
        with no_grad():
            self._buckets[i].add(slot)
            if self._buckets[i].is_full():
                self._buckets[i].flush(self._group)
                self._flushed += 1
#: looked_once | drops: whatever the order in which they get full
#: you sent one bucket and did not look again. One that was full earlier may have waited for just
#: this one.
        with no_grad():
            self._buckets[i].add(slot)
            if self._flushed < len(self._buckets) and self._buckets[self._flushed].is_full():
                self._flush_next()
#: any_full
#: you ask whether any bucket is full, and send the next in line, which is another one.
        with no_grad():
            self._buckets[i].add(slot)
            for bucket in self._buckets[self._flushed :]:
                if bucket.is_full():
                    self._flush_next()
#: past_the_last | drops: those that have left
#: you look for a next bucket when the last one has left. Compare `self._flushed` with the number
#: of buckets first.
        with no_grad():
            self._buckets[i].add(slot)
            while self._buckets[self._flushed].is_full():
                self._flush_next()
#: not_filled | drops: Put it into its bucket with `add(slot)`
#: the gradient never gets into its bucket, so no bucket gets full.
        with no_grad():
            pass
            while self._flushed < len(self._buckets) and self._buckets[self._flushed].is_full():
                self._flush_next()
#: filled_last | drops: Then send what may leave
#: you look which buckets are full before the gradient is in its place, and send one arrival too
#: late.
        with no_grad():
            while self._flushed < len(self._buckets) and self._buckets[self._flushed].is_full():
                self._flush_next()
            self._buckets[i].add(slot)
#: counted_twice | drops: sends the next one and counts it
#: you count a bucket that `_flush_next` has counted already, so one is skipped.
        with no_grad():
            self._buckets[i].add(slot)
            while self._flushed < len(self._buckets) and self._buckets[self._flushed].is_full():
                self._flush_next()
                self._flushed += 1
#: not_counted
#: you send a bucket and do not count it, so it is sent again. `_flush_next` does both.
        with no_grad():
            self._buckets[i].add(slot)
            for bucket in self._buckets[self._flushed :]:
                if not bucket.is_full():
                    break
                bucket.flush(self._group)
#: recorded | drops: under `no_grad()`
#: the copy into the bucket is recorded like any other operation. `no_grad()` is for where nobody
#: will ask for a derivative.
        self._buckets[i].add(slot)
        while self._flushed < len(self._buckets) and self._buckets[self._flushed].is_full():
            self._flush_next()
#: own_bucket_alone
#: you look at the bucket of this gradient alone. When it has left, the next ones may be full
#: already.
        with no_grad():
            self._buckets[i].add(slot)
            if self._flushed == i and self._buckets[i].is_full():
                self._flush_next()
#: not_asked | drops: if it `is_full()`
#: a bucket leaves when its first gradient arrives. It waits until it is full.
        with no_grad():
            self._buckets[i].add(slot)
            while self._flushed < len(self._buckets):
                self._flush_next()
#: all_at_the_end
#: you wait until all buckets are full. Then nothing travels while backward computes.
        with no_grad():
            self._buckets[i].add(slot)
            while self._flushed < len(self._buckets) and all(bucket.is_full() for bucket in self._buckets):
                self._flush_next()
#: looked_twice
#: you look a fixed number of times. Any number of buckets may have waited for this one: a loop
#: goes on as long as the next is full.
        with no_grad():
            self._buckets[i].add(slot)
            for _ in range(3):
                left = self._flushed
                if left < len(self._buckets) and self._buckets[left].is_full():
                    self._flush_next()
