#: a_stack_of_contexts
#: what is to be done at the end is said where it is caused: the state is given back by a callback
#: on an `ExitStack`, and `suppress` stands for the `except` with nothing in it. No nesting, and one
#: more thing can be added anywhere; a reader must know that a stack is left from its top, so that
#: the state is put back last.
        from contextlib import ExitStack, suppress

        with ExitStack() as stack:
            stack.callback(set_rng_state, get_rng_state())
            if self.state is not None:
                set_rng_state(self.state)
            stack.enter_context(suppress(_EnoughError))
            stack.enter_context(enable_grad())
            stack.enter_context(self._modes())
            stack.enter_context(saved_tensors_hooks(keep, lambda tensor: tensor))
            self.again()
