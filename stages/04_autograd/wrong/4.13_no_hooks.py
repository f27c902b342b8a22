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
