#: no_restart | drops: begins again at the top
#: you never begin again: beyond the end the cosine comes up by itself, slowly. After `T_0` epochs
#: the rate jumps back to the top.
        return [along_cosine(base, self.eta_min, epoch / self.T_0) for base in self.base_lrs]
#: equal_lengths | drops: each later one `self.T_mult` times as long
#: you make all falls equally long. Each later one lasts `T_mult` times as long as the one before
#: it.
        epoch %= self.T_0
        return [along_cosine(base, self.eta_min, epoch / self.T_0) for base in self.base_lrs]
#: added
#: you add to the length. It is multiplied by `T_mult`.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length += self.T_mult - 1
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
#: times_first
#: you multiply the first length by the number of the fall. Each is `T_mult` times the one before
#: it, so they grow as powers.
        length, count = self.T_0, 1
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            count += 1
            length = self.T_0 * (1 if self.T_mult == 1 else count * self.T_mult // 2)
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
#: grows_first
#: you let the length grow before you take the old one off.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            length *= self.T_mult
            epoch = max(0, epoch - length)
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
#: end_belongs_to_the_old | drops: is the first of the next
#: you let the epoch at which a fall ends belong to it, at the lowest rate. It is the first of the
#: next: at the top.
        length = self.T_0
        while epoch > length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
#: one_early
#: you begin again one epoch too early. A fall of `T_0` epochs has its bottom at the end, which is
#: the next one's beginning.
        length = self.T_0 - 1 or 1
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
#: share_of_first | drops: first fall lasts `self.T_0` epochs
#: you divide by `T_0` in the longer falls too. The part is what is over of this fall, which has a
#: length of its own.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, self.eta_min, epoch / self.T_0) for base in self.base_lrs]
#: whole_epochs | drops: `epoch` may be a fraction
#: you round the epoch down. It may be a fraction: the schedule may move after each batch.
        length, epoch = self.T_0, int(epoch)
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
#: to_zero | drops: to `self.eta_min`
#: you fall to 0. The lowest rate is `self.eta_min`.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, 0.0, epoch / length) for base in self.base_lrs]
#: first_group | drops: each group's own rate
#: you give every group the first one's rate. Each has a rate of its own in `self.base_lrs`.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(self.base_lrs[0], self.eta_min, epoch / length)] * len(self.base_lrs)
#: one_number | drops: Return a list
#: you return one number. There is a rate for each group, in a list.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return along_cosine(self.base_lrs[0], self.eta_min, epoch / length)
#: upwards
#: you climb from the lowest rate. The fall starts at the group's own rate.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(self.eta_min, base, epoch / length) for base in self.base_lrs]
#: straight
#: you fall along a straight line. `along_cosine` is flat at both ends.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [base + (self.eta_min - base) * epoch / length for base in self.base_lrs]
#: last_epoch
#: you ask for the schedule's own epoch. The one that is wanted is the argument.
        length, epoch = self.T_0, self.last_epoch
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
#: logarithm
#: you find the number of the fall by a logarithm, which is rounded: of 243 to the base 3 it comes
#: out just below 5, and that epoch falls into the fall before. Count with whole numbers.
        length, grows = self.T_0, self.T_mult
        if grows == 1:
            epoch %= length
        else:
            n = int(math.log(epoch / length * (grows - 1) + 1, grows))
            epoch -= length * (grows**n - 1) / (grows - 1)
            length *= grows**n
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
#: fall_by_fall
#: you take one fall after another off, also where all last equally long. A far epoch takes that
#: many turns: a remainder does it at once.
        length = self.T_0
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
#: remembered
#: you keep the length on `self`. The next call asks for another epoch, and begins with the first
#: fall.
        self.length = getattr(self, "length", self.T_0)
        if self.T_mult == 1:
            epoch %= self.length
        while epoch >= self.length:
            epoch -= self.length
            self.length *= self.T_mult
        return [along_cosine(base, self.eta_min, epoch / self.length) for base in self.base_lrs]
#: lowest_of_0
#: you fall to 0 where the lowest rate is negative. It is `self.eta_min` in any case.
        length, low = self.T_0, max(self.eta_min, 0.0)
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, low, epoch / length) for base in self.base_lrs]
#: rate_of_0_replaced
#: you take another rate where a group's own is 0. 0 is a rate like any other: the group stands
#: still at the top.
        length, first = self.T_0, self.base_lrs[0]
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        part = epoch / length
        return [along_cosine(base or first, self.eta_min, part) for base in self.base_lrs]
#: rates_of_now
#: you fall from the rate that a group has at the moment. That one is on its way down already: the
#: top is in `self.base_lrs`.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        tops = [group["lr"] for group in self.optimizer.param_groups]
        return [along_cosine(top, self.eta_min, epoch / length) for top in tops]
#: whole_part
#: you divide with `//`, which leaves nothing of a part of a fall. `/` keeps the fraction.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, self.eta_min, epoch // length) for base in self.base_lrs]
#: a_tuple
#: you return a tuple. What is asked for is a list, one rate a group.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            epoch -= length
            length *= self.T_mult
        return tuple(along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs)
#: a_tolerance
#: you let a fall end a little early, so that rounding does no harm. A far epoch is a large number,
#: and the comparison is exact as it stands.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length * (1 - 1e-9) and epoch > 0:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, self.eta_min, max(epoch, 0) / length) for base in self.base_lrs]
#: one_restart
#: you take one fall off and no more. A far epoch lies behind many: go on until what is left lies
#: within one.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        if epoch >= length:
            epoch -= length
            length *= self.T_mult
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
#: length_alone_grows
#: you let the length grow and take nothing off the epoch.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        while epoch >= length:
            length = length
            length *= self.T_mult
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
#: never_taken_off
#: you take nothing off for the falls that are over.
        length = self.T_0
        if self.T_mult == 1:
            epoch %= length
        return [along_cosine(base, self.eta_min, epoch / length) for base in self.base_lrs]
