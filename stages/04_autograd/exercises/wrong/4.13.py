#: not_recorded | drops: It must be recorded
#: the function runs unrecorded, as everything does in a backward pass. Then nothing is kept, and
#: nothing comes back: `enable_grad()`.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: other_modes | drops: in the modes of the first run
#: you forgot the modes of the first run. In another mode the function may take other ways, and
#: keep other values: `self._modes()`.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: no_hooks | drops: so that what is kept goes through `keep`
#: what the second run keeps stays with its own nodes, and never reaches the frame: let it go
#: through `keep`, by `saved_tensors_hooks`.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes():
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: state_unasked | drops: If `self.state` is not None
#: you set a state that may be None: with `preserve_rng_state=False` there is none to go back to.
        now = get_rng_state()
        set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: new_numbers | drops: the random numbers repeat
#: the second run draws other random numbers than the first. A dropout then hides other elements
#: than those whose result went on: set the frame's state first.
        now = get_rng_state()
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: state_left | drops: is left in the state in which you found it
#: the second run leaves its mark on the generator: a program would draw other numbers after a
#: backward pass with checkpoints than without. Put the noted state back.
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
#: not_after_errors | drops: Whatever happens
#: after an error the generator is left somewhere in the middle. Put its state back in a `finally`,
#: which runs on every way out.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        set_rng_state(now)
#: enough_is_an_error | drops: that is no error, only the end
#: you let `_EnoughError` pass. It only says that all values are there, and that the rest of the
#: function need not run: catch it.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        finally:
            set_rng_state(now)
#: hides_errors | drops: Any other error goes on to the caller
#: no error gets out: an `except` catches all of them, or a `return` in `finally` drops them. One
#: that the function raises itself is then lost, and somebody looks for it far away: catch
#: `_EnoughError` alone.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except Exception:
            pass
        finally:
            set_rng_state(now)
#: noted_too_late
#: you note the generator's state after you have set it. What is to be put back is what was there
#: before.
        if self.state is not None:
            set_rng_state(self.state)
        now = get_rng_state()
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: first_state_after
#: you put the frame's state back at the end. That is the one of the first run; the program has
#: gone on since: put back what you found.
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(self.state)
#: put_back_if_set | drops: Whatever happens
#: you put the generator's state back only where the frame has one. Without `preserve_rng_state`
#: the second run may draw too: put it back in any case.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            if self.state is not None:
                set_rng_state(now)
#: frames_state_after
#: the state that is put back is not the one that you found: in the end the generator has the first
#: run's, or, where the frame has none, what the second run left. Note the state first of all, and
#: put that one back.
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            if self.state is not None:
                set_rng_state(self.state)
#: modes_not_called
#: you write `self._modes` without brackets. That is the method; calling it gives what `with` needs.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes, saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: another_error
#: you turn an error of the function into another one. The caller may be waiting for the one that
#: was raised: let it pass.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        except Exception as error:
            raise CheckpointError(str(error)) from error
        finally:
            set_rng_state(now)
#: run_twice
#: you run the function more than once. If it keeps fewer values than at first, no `_EnoughError`
#: stops it, and it runs again: call `self.again()` once.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: result_kept
#: you hand the function's result to `keep`. It is what the operations keep for their derivatives
#: that goes through it: by `saved_tensors_hooks`.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor):
                keep(self.again())
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: state_used_up
#: you drop the frame's state when it was used. The function may have to run again: read it and
#: leave it.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
            self.state = None
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: one_mode_alone
#: you restore one of the modes of the first run. There are more, and a setting of the user's own:
#: `self._modes()`.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), composite(self.composite), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: left_on
#: you switch the record on and leave it on. The backward pass around it goes on unrecorded: `with
#: enable_grad()` puts back what it found.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            mode.enabled = True
            with self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: state_untouched
#: you forgot the generator. The second run must draw what the first one drew, and leave no trace:
#: set the frame's state, and put back what you found.
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
#: not_called
#: you name `self.again` and do not call it: `self.again()`.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: None):
                self.again
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: hooks_of_the_first_run
#: you use the hooks of the first run. They leave values out; this time they go through `keep`.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(self.leave_out, self.bring):
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: only_after_exceptions
#: you put the state back after an `Exception`. Python stops a program by others too, which are
#: none: `finally` runs on every way out.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            set_rng_state(now)
        except Exception:
            set_rng_state(now)
            raise
        else:
            set_rng_state(now)
#: hooks_left
#: your hooks stay on after the second run, and take what others keep. `with` takes them off again.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        saved_tensors_hooks(keep, lambda tensor: tensor).__enter__()
        try:
            with enable_grad(), self._modes():
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: another_state
#: you set a state of your own where the frame has none. Without `preserve_rng_state` the second run
#: goes on from where the generator is.
        now = get_rng_state()
        set_rng_state(self.state or (0, 0))
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
#: runtime_errors_too
#: you catch more than `_EnoughError`. Operations raise RuntimeError where something is wrong, and
#: the caller must see it.
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except (_EnoughError, RuntimeError):
            pass
        finally:
            set_rng_state(now)
