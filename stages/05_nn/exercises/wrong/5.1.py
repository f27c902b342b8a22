#: not_stored | drops: In every case the value must then really be stored
#: you remember the name and never store the value. Defining `__setattr__` replaces what Python
#: does; the last line must do it.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
#: every_tensor
#: you take every tensor for a parameter. The optimizer would then change data too; only a
#: `Parameter` asks to be learned.
        if isinstance(value, Tensor):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: parameter_unseen | drops: A `Parameter` is remembered under `"_parameter_names"`
#: you store a parameter and do not remember its name. The optimizer would never hear of it.
        if isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: module_unseen | drops: another `Tree` under `"_module_names"`
#: you store a module and do not remember its name. Its parameters would belong to nobody.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: nothing_refused | drops: Anything else goes to `self._refuse_misplaced`
#: you let any value take a parameter's place. `_refuse_misplaced` raises there: the parameter
#: would be lost by accident.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        object.__setattr__(self, name, value)
#: stored_if_plain
#: you store only what is neither a parameter nor a module. Those two are attributes as well: store
#: the value in every case.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
            object.__setattr__(self, name, value)
#: kinds_exchanged
#: you exchanged the two kinds: a parameter is entered among the modules.
        if isinstance(value, Parameter):
            self._remember("_module_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_parameter_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: calls_itself
#: you store with `setattr`, which calls this very function again, without end.
#: `object.__setattr__` does what Python would have done.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        setattr(self, name, value)
#: exact_type
#: you ask for the exact type. A class derived from `Parameter` is a parameter too: `isinstance`.
        if type(value) is Parameter:
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: stored_first
#: you store before you refuse. After the error the old parameter is gone all the same.
        object.__setattr__(self, name, value)
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
#: never_changed
#: you refuse to replace a parameter by another one. Only what is neither a parameter nor a module
#: may be refused.
        self._refuse_misplaced(name, None if name not in self.__dict__ else value)
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: refuses_none
#: you refuse None where a parameter was. A part may be taken away: `_refuse_misplaced` lets None
#: pass.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        elif name in self.__dict__.get("_parameter_names", ()):
            raise TypeError(f"{name} is a parameter")
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: entered_by_hand
#: you enter the name by hand. `_remember` also takes it off the other kinds: what was a module and
#: becomes a parameter would be both.
        if isinstance(value, Parameter):
            self.__dict__["_parameter_names"].setdefault(name, True)
        elif isinstance(value, Tree):
            self.__dict__["_module_names"].setdefault(name, True)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: only_if_new
#: you remember only a name that is new. One that stood for something else becomes a parameter or a
#: module all the same.
        if name not in self.__dict__ and isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif name not in self.__dict__ and isinstance(value, Tree):
            self._remember("_module_names", name, value)
        elif not isinstance(value, Parameter | Tree):
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: truthy_alone
#: you ask a value whether it counts as True. A tensor of several numbers has no answer, and one
#: that has none is False: ask for its class.
        if value and isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: a_copy_of_tensors
#: you store a copy. Whoever made the value holds another object than the module does.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
            value = value.clone() if isinstance(value, Tensor) else value
        object.__setattr__(self, name, value)
#: parameter_refused_too
#: your `else` belongs to the second question alone, so a parameter is refused as if it were plain
#: data. Three branches, of which one is taken: `elif`.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        if isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: forgotten_with_none
#: you forget a name whose value becomes None. It stays what it was, a parameter that is not there
#: at the moment.
        if value is None and name in self.__dict__:
            for kind in ("_parameter_names", "_module_names", "_buffer_names"):
                self.__dict__[kind].pop(name, None)
        elif isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: trained_alone
#: you remember only a parameter that is trained. A frozen one is a parameter too, and is saved
#: with the others.
        if isinstance(value, Parameter) and value.requires_grad:
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: private_left_out
#: you do not remember names that begin with a dash below. What is stored there is a part as well.
        if isinstance(value, Parameter) and not name.startswith("_"):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree) and not name.startswith("_"):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: lists_of_modules
#: you take a list of modules for a module. A plain list is data; there is a `ModuleList` for them.
        of_modules = isinstance(value, list) and all(isinstance(one, Tree) for one in value)
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree) or of_modules:
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: of_the_own_class
#: you ask whether the value is of the class of this very module. Any `Tree` is a module.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, type(self)):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: modules_lost
#: you let any value take a module's place. `_refuse_misplaced` raises there: the module and all its
#: parameters would be lost by accident.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        elif name not in self.__dict__["_module_names"]:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: past_properties
#: you write into `__dict__`, past what a class may do with the name: the setter of a property never
#: runs. `object.__setattr__` does what Python would have done.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        self.__dict__[name] = value
#: empty_module_unseen
#: you ask a module whether it counts as True. One that has a length of 0 does not, and is a module
#: all the same: ask for its class.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree) and bool(value):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: new_parameter
#: you store a new parameter. Whoever made the value holds another object than the module does, and
#: the optimizer may hold that one.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
            value = Parameter(value.detach())
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: module_not_stored
#: you remember a module and leave before it is stored.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
            return
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: exact_tree
#: you ask whether the class is `Tree` itself. Every module derives from it: `isinstance`.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif type(value) is Tree:
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
#: each_of_a_list
#: you register each module of a list. A plain list is data; there is a `ModuleList` for them.
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        elif isinstance(value, list):
            for i, one in enumerate(value):
                if isinstance(one, Tree):
                    self._remember("_module_names", f"{name}{i}", one)
                    object.__setattr__(self, f"{name}{i}", one)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
