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
