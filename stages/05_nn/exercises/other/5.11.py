#: remainder
#: the count goes round like a clock: a remainder of 0 says that the interval is full. One line does
#: what counting and beginning anew do; the reader must see that 0 stands for the end, not for the
#: beginning.
        self._growth_tracker = (self._growth_tracker + 1) % self._growth_interval
        if self._growth_tracker == 0 and math.isfinite(self._scale * self._growth_factor):
            self._scale *= self._growth_factor
