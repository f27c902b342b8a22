#: from_the_start | drops: `self.past` of them are taken
#: you write at the beginning. The steps that were there are lost: the new ones go behind them.
        new = k.shape[-2]
        self.k[..., :new, :] = k
        self.v[..., :new, :] = v
        self.past += new
        return self.k[..., : self.past, :], self.v[..., : self.past, :]
#: count_of_one | drops: count them in `self.past`
#: you count one step each time. A prompt brings many at once: add as many as `k` has.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past += 1
        return self.k[..., :now, :], self.v[..., :now, :]
#: not_counted
#: you never count. The next steps are written over these.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        return self.k[..., :now, :], self.v[..., :now, :]
#: counted_first
#: you count first and write from the new count on: that is as many places too late.
        self.past += k.shape[-2]
        end = min(self.past + k.shape[-2], self.length)
        self.k[..., self.past : end, :] = k[..., : end - self.past, :]
        self.v[..., self.past : end, :] = v[..., : end - self.past, :]
        return self.k[..., : self.past, :], self.v[..., : self.past, :]
#: all_the_room | drops: without the room that is still empty
#: you return the empty room too. Attention would look at keys that nobody has written.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past = now
        return self.k, self.v
#: new_alone | drops: all keys and all values so far
#: you return the new steps alone. The query looks back at all of them.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past = now
        return k, v
#: one_too_few
#: you return one step too few. A slice ends before its end: the new one must be seen as well.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past = now
        return self.k[..., : now - 1, :], self.v[..., : now - 1, :]
#: one_too_many
#: you return one step too many: a place that nobody has written yet.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past = now
        return self.k[..., : now + 1, :], self.v[..., : now + 1, :]
#: keys_twice | drops: `k` and `v`
#: you copy the keys into both. The values are another tensor.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = k
        self.past = now
        return self.k[..., :now, :], self.v[..., :now, :]
#: values_not_stored
#: you store the keys alone. The values of the past are needed too.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.past = now
        return self.k[..., :now, :], self.v[..., :now, :]
#: joined | drops: neither moved nor copied
#: you join old and new in new memory. Then every step copies the whole past: write into the room
#: that is there.
        from norch_autograd import cat

        past, self.past = self.past, self.past + k.shape[-2]
        old_k, old_v = self.k[..., :past, :], self.v[..., :past, :]
        return cat([old_k, k], dim=-2), cat([old_v, v], dim=-2)
#: copied
#: you return copies. A view costs the same for any length: slices alone are enough.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past = now
        return self.k[..., :now, :].clone(), self.v[..., :now, :].clone()
#: other_dimension | drops: along the dimension before the last one
#: you write along the wrong dimension: the steps are the dimension before the last one, behind
#: samples and heads.
        now = self.past + k.shape[-2]
        self.k[:, self.past : now] = k
        self.v[:, self.past : now] = v
        self.past = now
        return self.k[:, :now], self.v[:, :now]
#: first_sample
#: you write the first sample's steps for all of them. `...` stands for every sample and every
#: head.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k[:1]
        self.v[..., self.past : now, :] = v[:1]
        self.past = now
        return self.k[..., :now, :], self.v[..., :now, :]
#: first_head
#: you write the first head's steps for all of them. Each head has keys of its own.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k[:, :1]
        self.v[..., self.past : now, :] = v[:, :1]
        self.past = now
        return self.k[..., :now, :], self.v[..., :now, :]
#: not_written
#: you write nothing into the room: `room = k` only gives a name to another tensor. Assign to the
#: slice itself.
        now = self.past + k.shape[-2]
        room = self.k[..., self.past : now, :]
        room = k
        room = self.v[..., self.past : now, :]
        room = v
        self.past = now
        return self.k[..., :now, :], self.v[..., :now, :]
#: one_step_counted
#: you count one step each time. A prompt brings many at once: add as many as `k` has.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past += 1
        return self.k[..., : self.past, :], self.v[..., : self.past, :]
#: count_of_the_last
#: you set the count to that of the new steps. Add them to it: those before them are still there.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past = k.shape[-2]
        return self.k[..., :now, :], self.v[..., :now, :]
#: keeps_the_first
#: you keep the caller's tensors in the place of the room. They are too short for what comes, and
#: change when the caller overwrites them.
        if self.past == 0:
            self.k, self.v, self.past = k, v, k.shape[-2]
            return k, v
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past = now
        return self.k[..., :now, :], self.v[..., :now, :]
#: four_dimensions
#: you count on four dimensions. The steps are the one before the last, however many stand in front:
#: `...` stands for these.
        now = self.past + k.shape[2]
        self.k[:, :, self.past : now] = k
        self.v[:, :, self.past : now] = v
        self.past = now
        return self.k[:, :, :now], self.v[:, :, :now]
#: filled_to_the_end
#: you write into all the room behind the past. What is not taken yet stays as it is.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        if k.shape[-2]:
            self.k[..., now:, :] = k[..., -1:, :]
        self.past = now
        return self.k[..., :now, :], self.v[..., :now, :]
#: values_first
#: you return the values first. The caller takes keys, then values.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past = now
        return self.v[..., :now, :], self.k[..., :now, :]
#: begins_anew_when_full
#: you let the count begin anew where the room is full. It says how many steps are there: all of
#: them.
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past = now % self.length
        return self.k[..., :now, :], self.v[..., :now, :]
#: last_place_left
#: you leave the last place of the room empty. All of `self.length` steps may be taken.
        now = min(self.past + k.shape[-2], self.length - 1)
        self.k[..., self.past : now, :] = k[..., : now - self.past, :]
        self.v[..., self.past : now, :] = v[..., : now - self.past, :]
        self.past = now
        return self.k[..., :now, :], self.v[..., :now, :]
#: width_counted
#: you count the numbers of a step and not the steps. These are the dimension before the last one.
        now = self.past + k.shape[-1]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past = now
        return self.k[..., :now, :], self.v[..., :now, :]
#: keys_not_stored
#: you store the values alone. The keys of the past are needed too.
        now = self.past + k.shape[-2]
        self.v[..., self.past : now, :] = v
        self.past = now
        return self.k[..., :now, :], self.v[..., :now, :]
#: written_over_the_past
#: you write keys over the whole past. The new steps go behind it: begin at the old count.
        now = self.past + k.shape[-2]
        self.k[..., :now, :] = k[..., -1:, :]
        self.v[..., self.past : now, :] = v
        self.past = now
        return self.k[..., :now, :], self.v[..., :now, :]
#: past_forgotten
#: you forgot those that were there: the new count is the old one plus the steps of k.
        now = k.shape[-2]
        self.k[..., 0:now, :] = k
        self.v[..., 0:now, :] = v
        self.past = now
        return self.k[..., :now, :], self.v[..., :now, :]
