        if type(value) is Parameter:
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
