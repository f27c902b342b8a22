#: given | drops: an edit since is an error here too
#: you hand out the tensor as it is now. Beside it lies the version that its storage had when it
#: was kept: nobody compares the two.
        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        found = [None if item is None else item[0] for item in self.kept or ()]
#: copies_now
#: you copy the values when they are asked for. By then the edit has happened: a copy would have
#: been needed before it, and an error is wanted.
        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        found = [None if item is None else item[0].clone() for item in self.kept or ()]
#: detached
#: you cut what was kept off from the graph. A second derivative must find the way on from it; and
#: nobody has compared the versions.
        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        found = [None if item is None else item[0].detach() for item in self.kept or ()]
#: without_hooks | drops: a value that a hook of `saved_tensors_hooks` has packed
#: you take every kept value for three things in a row. What a hook has packed is one `Packed`: let
#: the node unpack it.
        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        found = []
        for item in self.kept or ():
            if item is not None and item[1].version != item[2]:
                raise RuntimeError("[backward] a kept value was edited")
            found.append(item and item[0])
#: packed_as_it_is
#: only what was kept as three things is read through the node; all else you hand out as it is.
#: What a hook has packed is a `Packed`, no tensor yet: let the node unpack it.
        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        kept = enumerate(self.kept or ())
        found = [self.saved(i) if isinstance(item, tuple) else item for i, item in kept]
#: first_alone
#: you ask only the first kept value whether it was edited. Any of them may have been.
        self.saved(0)
        found = [None if item is None else item[0] for item in self.kept or ()]
#: none_dropped | drops: in its order
#: you leave out what was kept as None, and all behind it move up. `x, bias = ctx.saved_tensors`
#: counts on the places.
        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        kept = self.kept or ()
        found = [self.saved(i) for i, item in enumerate(kept) if item is not None]
#: none_unpacked | drops: None that was kept
#: you unpack None. An optional argument, such as a bias, may be kept as None: it has neither array
#: nor version.
        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        for _, array, version in self.kept or ():
            if array.version != version:
                raise RuntimeError("[backward] a kept value was edited")
        found = [self.saved(i) for i in range(len(self.kept or ()))]
#: always_refuses
#: you compare with version 0. A value may have been edited BEFORE it was kept, and that is
#: nobody's error: compare with the version noted beside it.
        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        for item in self.kept or ():
            if isinstance(item, tuple) and item[1].version != 0:
                raise RuntimeError("[backward] a kept value was edited")
        found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept or ())]
#: arrays
#: you hand out bare arrays. The operation computes with tensors, and a second derivative must find
#: the way on from them.
        if self.kept is None:
            self.saved(0)  # raises: the graph is freed
        kept = self.kept or ()
        found = [None if item is None else self.saved_array(i) for i, item in enumerate(kept)]
#: freed_unasked | drops: an error once the graph is freed
#: you no longer ask whether the graph was freed. After a first pass nothing is kept any more, and
#: the error should say so.
        found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept)]
#: freed_is_empty
#: a freed graph hands out nothing, without a word. After a first pass nothing is kept any more,
#: and the error should say so.
        found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept or ())]
#: empty_is_freed
#: you take an empty list for a freed graph. A function may keep nothing at all: ask `is None`.
        if not self.kept:
            self.saved(0)  # raises: the graph is freed
        found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept)]
#: another_error
#: you raise an error of your own for a freed graph, of another kind than the library's.
#: `self.saved(0)` raises the right one.
        if self.kept is None:
            raise ValueError("[backward] the graph is freed")
        found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept)]
#: turned
#: the values come out in the opposite order. `x, w = ctx.saved_tensors` counts on the order in
#: which they were kept.
        if self.kept is None:
            self.saved(0)
        found = [self.saved(i) for i in reversed(range(len(self.kept or ())))]
#: error_swallowed
#: you catch the error and hand out something else. That an edit is an error is the point: let it
#: pass.
        if self.kept is None:
            self.saved(0)
        found = []
        for i, item in enumerate(self.kept or ()):
            try:
                found.append(self.saved(i))
            except RuntimeError:
                found.append(None)
#: found_by_value
#: you look a value up in `self.kept`. That compares tensors with one another, and two may be alike:
#: count the places.
        if self.kept is None:
            self.saved(0)
        found = []
        for item in self.kept or ():
            found.append(None if item is None else self.saved(self.kept.index(item)))
#: as_a_tuple
#: `found` is a tuple. The lines below the hole put results of the node in their places: make a
#: list.
        if self.kept is None:
            self.saved(0)
        found = tuple(None if item is None else self.saved(i) for i, item in enumerate(self.kept or ()))
