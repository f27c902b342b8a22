        now = get_rng_state()
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
