#: every_step | drops: With the `self._growth_interval`-th good step
#: you raise the factor after every good step. It would overflow every other time: wait for
#: `_growth_interval` good steps in a row.
        grown = self._scale * self._growth_factor
        self._scale = grown if math.isfinite(grown) else self._scale
#: once_alone
#: you never set the count back, so the factor is raised once and then never again.
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = self._scale * self._growth_factor
            self._scale = grown if math.isfinite(grown) else self._scale
#: from_then_on | drops: begin to count anew
#: you never set the count back, so once the interval is full the factor is raised at every step.
        self._growth_tracker += 1
        if self._growth_tracker >= self._growth_interval:
            grown = self._scale * self._growth_factor
            self._scale = grown if math.isfinite(grown) else self._scale
#: too_late
#: you wait one step too long: the factor is raised with the last of `_growth_interval` good steps.
        self._growth_tracker += 1
        if self._growth_tracker > self._growth_interval:
            grown = self._scale * self._growth_factor
            self._scale = grown if math.isfinite(grown) else self._scale
            self._growth_tracker = 0
#: to_infinity | drops: stay finite
#: you let the factor become infinite. Then every loss is infinite, and no step is good again.
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            self._scale *= self._growth_factor
            self._growth_tracker = 0
#: never_counted | drops: Count it in `self._growth_tracker`
#: you never count, so the factor never grows.
        if self._growth_tracker == self._growth_interval:
            grown = self._scale * self._growth_factor
            self._scale = grown if math.isfinite(grown) else self._scale
            self._growth_tracker = 0
#: added
#: you add the growth factor. It is multiplied.
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = self._scale + self._growth_factor
            self._scale = grown if math.isfinite(grown) else self._scale
            self._growth_tracker = 0
#: doubled | drops: multiply `self._scale` by `self._growth_factor`
#: you double whatever `_growth_factor` says.
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = self._scale * 2.0
            self._scale = grown if math.isfinite(grown) else self._scale
            self._growth_tracker = 0
#: from_one
#: you count anew from 1. After the first time the factor then grows one step too early.
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = self._scale * self._growth_factor
            self._scale = grown if math.isfinite(grown) else self._scale
            self._growth_tracker = 1
#: shrinks
#: you divide by the growth factor. After good steps the factor grows.
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = self._scale / self._growth_factor
            self._scale = grown if math.isfinite(grown) else self._scale
            self._growth_tracker = 0
#: largest
#: you take 0 where the factor would be infinite. It stays as it is.
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = self._scale * self._growth_factor
            self._scale = grown if math.isfinite(grown) else 0.0
            self._growth_tracker = 0
#: anew_if_grown
#: you begin to count anew only where the factor could grow. Once it would be infinite, the count
#: runs on and is never full again.
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = self._scale * self._growth_factor
            if math.isfinite(grown):
                self._scale = grown
                self._growth_tracker = 0
#: never_anew
#: you let the count run on and ask for a remainder. After an overflow the factor may then grow too
#: early: begin to count anew.
        self._growth_tracker += 1
        if self._growth_tracker % self._growth_interval == 0:
            grown = self._scale * self._growth_factor
            self._scale = grown if math.isfinite(grown) else self._scale
#: largest_number
#: you take the largest finite number where the factor would be infinite. It stays as it is.
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            self._scale = min(self._scale * self._growth_factor, 1.7976931348623157e308)
            self._growth_tracker = 0
#: limit_of_single_precision
#: you stop at the largest number of float32. The factor is a number of Python, and may be larger.
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = self._scale * self._growth_factor
            self._scale = grown if grown < 3.4e38 else self._scale
            self._growth_tracker = 0
#: whole_factor
#: you round the factor to a whole number. A growth factor may be a fraction, as 1.5.
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = self._scale * self._growth_factor
            self._scale = (grown // 1 if grown < 1e15 else grown) if math.isfinite(grown) else self._scale
            self._growth_tracker = 0
#: never_grows
#: you count and never raise the factor.
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = self._scale * self._growth_factor
            self._growth_tracker = 0
#: counted_by_two
#: you count two for each step.
        self._growth_tracker += 2
        if self._growth_tracker == self._growth_interval:
            grown = self._scale * self._growth_factor
            self._scale = grown if math.isfinite(grown) else self._scale
            self._growth_tracker = 0
#: raised_at_the_wrong_steps
#: you raise the factor at all steps but the one that fills the interval.
        self._growth_tracker += 1
        if self._growth_tracker != self._growth_interval:
            grown = self._scale * self._growth_factor
            self._scale = grown if math.isfinite(grown) else self._scale
            self._growth_tracker = 0
#: the_growth_factor_itself
#: you set the factor to the growth factor. It is multiplied by it.
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = self._growth_factor
            self._scale = grown if math.isfinite(grown) else self._scale
            self._growth_tracker = 0
