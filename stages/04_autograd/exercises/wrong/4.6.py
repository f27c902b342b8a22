#: always_on | drops: Note what you find
#: recording is on after the block, whatever it was before. A block inside another `no_grad` must
#: leave it off: note what you FIND.
        self._found.append((True, mode.inference))
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: noted_too_late | drops: Then set
#: you noted the mode after you had changed it, so leaving the block restores nothing.
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        self._found.append((mode.enabled, mode.inference))
        return self
#: inference_lost | drops: unless that is `None`: then leave it alone
#: a switch without an opinion about inference mode turned it off. `None` means: leave it as it is.
        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        mode.inference = bool(self._inference)
        return self
#: one_note | drops: in the list `self._found`
#: you keep one note instead of a list of them. A switch may be entered again before it is left,
#: and each leaving takes its own note off.
        self._found = [(mode.enabled, mode.inference)]
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: half_noted | drops: as a pair
#: you noted only whether operations are recorded. `__exit__` restores two settings, so a note is a
#: pair.
        self._found.append(mode.enabled)
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: always_off | drops: set `mode.enabled` to `self._enabled`
#: you switch recording off whatever the switch says. `enable_grad` is a switch too:
#: `self._enabled` says which way.
        self._found.append((mode.enabled, mode.inference))
        mode.enabled = False
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: inference_ignored | drops: `mode.inference` to `self._inference`
#: inference mode is not set to what the switch says. `inference_mode` is a switch that has an
#: opinion about it: `self._inference`.
        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        return self
#: no_return | drops: Return `self`
#: nothing is returned. `with no_grad() as block` hands out what `__enter__` returns: the switch
#: itself.
        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
#: pair_turned
#: you noted the pair the other way round. `__exit__` reads the record first, then inference mode.
        self._found.append((mode.inference, mode.enabled))
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: noted_if_changed
#: you note only what you change. `__exit__` takes a note off in any case: each entering leaves
#: one.
        if mode.enabled != self._enabled:
            self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: own_setting_noted
#: you noted what the switch wants, not what you found. Leaving the block then sets its own mode
#: once more.
        self._found.append((self._enabled, bool(self._inference)))
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: no_list
#: you put a pair in the place of the list. `__exit__` takes the last note off a list: append to
#: it.
        self._found = mode.enabled, mode.inference
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: nothing_noted
#: `__exit__` finds no note to take off: nothing was noted in `self._found`. What you overwrite is
#: lost unless it was noted first.
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: never_switched_off
#: you set inference mode only where it is wanted. `inference_mode(False)` has an opinion too, and
#: switches it off: ask `is not None`.
        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        if self._inference:
            mode.inference = True
        return self
#: none_written
#: you write `None` into the mode. A switch without an opinion leaves inference mode as it is: ask
#: `is not None` first.
        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        mode.inference = self._inference
        return self
#: only_switches_off
#: you set `mode.enabled` to the switch's wish AND what it was. Inside `no_grad`, `enable_grad` must
#: switch it on again: set what the switch says.
        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled and mode.enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: another_returned
#: you return something else than the switch. `with no_grad() as block` hands out what `__enter__`
#: returns: `self`.
        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return mode
#: noted_in_front
#: you put the note in front of the others. `__exit__` takes the LAST one off, which must be that of
#: the last block entered: append.
        self._found.insert(0, (mode.enabled, mode.inference))
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: enabled_by_inference
#: you set `mode.enabled` by what the switch says of inference mode. They are two settings:
#: `self._enabled` has the one for the record.
        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
            mode.enabled = not self._inference
        return self
#: own_inference_noted
#: you noted the switch's own wish for inference mode, not what you found. After the block the mode
#: is then what nobody had set.
        self._found.append((mode.enabled, self._inference))
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: leaves_early
#: you stop where the switch has no opinion about inference mode. It has one about the record all
#: the same: set `mode.enabled` in any case.
        self._found.append((mode.enabled, mode.inference))
        if self._inference is None:
            return self
        mode.enabled = self._enabled
        mode.inference = self._inference
        return self
#: noted_for_inference
#: you note what you find only where inference mode is set. `__exit__` takes a note off in any case.
        found = (mode.enabled, mode.inference)
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
            self._found.append(found)
        return self
#: negated
#: recording is switched the other way round. `self._enabled` says what it is to be.
        self._found.append((mode.enabled, mode.inference))
        mode.enabled = not self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: mode_itself
#: you noted `mode` itself. It goes on changing, and `__exit__` wants a pair: note its two settings.
        self._found.append(mode)
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: switch_changed
#: you set the switch by the mode. The mode is set by the switch: `mode.enabled` stands on the left.
        self._found.append((mode.enabled, mode.inference))
        self._enabled = mode.enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: crossed
#: you set the two settings crosswise. `mode.enabled` comes from `self._enabled`, `mode.inference`
#: from `self._inference`.
        self._found.append((mode.enabled, mode.inference))
        mode.inference = self._enabled
        if self._inference is not None:
            mode.enabled = self._inference
        return self
#: noted_twice
#: you leave two notes where one is taken off. Each entering leaves one.
        self._found.append((mode.enabled, mode.inference))
        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: on_where_given
#: you set inference mode wherever the switch has an opinion, and off where it has none. The opinion
#: may be False, and None means: leave it alone.
        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        mode.inference = self._inference is not None
        return self
#: inference_into_enabled
#: you write the wish for inference mode into `mode.enabled`. It belongs into `mode.inference`.
        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.enabled = self._inference
        return self
#: half_noted_too_late
#: you noted one of the two settings after you had changed it. Note both first.
        was = (mode.enabled, mode.inference)
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        self._found.append((mode.enabled, was[1]))
        return self
#: pair_in_a_list
#: you noted a list with a pair in it. `__exit__` unpacks the note itself: a pair.
        self._found.append([(mode.enabled, mode.inference)])
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: inference_noted_if_set
#: you note inference mode only where the switch sets it, and False elsewhere. `__exit__` puts back
#: what you noted: note what you find.
        self._found.append((mode.enabled, mode.inference if self._inference is not None else False))
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: not_in_inference
#: you do not switch recording on inside inference mode. Set what the switch says: `self._enabled`.
        self._found.append((True if mode.enabled else False, mode.inference))
        mode.enabled = self._enabled if not mode.inference else False
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: own_setting_if_again
#: you note the switch's own setting where it was entered before. Other blocks may lie between: note
#: what you find.
        if len(self._found) < 1:
            self._found.append((mode.enabled, mode.inference))
        else:
            self._found.append((self._enabled, mode.inference))
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
#: inference_noted_too_late
#: you noted inference mode after you had set it. Note both settings first.
        mode.enabled, was = self._enabled, mode.enabled
        if self._inference is not None:
            mode.inference = self._inference
        self._found.append((was, mode.inference))
        return self
