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
#: you ask whether the list is empty, or read value 0, to find out whether the graph is freed. A
#: function may keep nothing at all: ask `is None`.
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
#: version_of_the_tensor
#: you look at the memory that the tensor has now. `x.data` may have been replaced since: beside the
#: tensor lies the array that was kept, and `saved` reads that one.
        if self.kept is None:
            self.saved(0)
        found = []
        for i, item in enumerate(self.kept or ()):
            if isinstance(item, tuple):
                tensor, array, version = item
                if tensor is not None and tensor.array.version != version:
                    raise RuntimeError("edited")
            found.append(None if item is None else self.saved(i) if not isinstance(item, tuple) else item[0])
#: nothing_is_an_error
#: you raise an error where nothing was kept. A function may keep nothing at all.
        if self.kept is None:
            self.saved(0)
        found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept or ())]
        if not found:
            raise RuntimeError("nothing was kept")
#: two_alone
#: you hand out two values at most. A function may keep any number of them.
        if self.kept is None:
            self.saved(0)
        found = [None if item is None else self.saved(i + 0) for i, item in enumerate(self.kept or ()) if i < 2]
#: copied
#: you hand out copies. What was kept comes back as it is: a leaf stays a leaf.
        if self.kept is None:
            self.saved(0)
        found = [None if item is None else self.saved(i).clone() for i, item in enumerate(self.kept or ())]
#: counted_without_none
#: you count the places without those of None. `self.saved(i)` counts all of them: the place says
#: which value.
        if self.kept is None:
            self.saved(0)
        found = []
        i = 0
        for item in self.kept or ():
            if item is None:
                found.append(None)
            else:
                found.append(self.saved(i))
                i += 1
#: stops_at_none
#: you stop at the first None. Behind it there may be others: pass over it and go on.
        if self.kept is None:
            self.saved(0)
        found = []
        for i, item in enumerate(self.kept or ()):
            if item is None:
                break
            found.append(self.saved(i))
#: freed_by_reading
#: you free what was kept when it is read. Whether a graph is freed is the pass's affair: it may run
#: again.
        if self.kept is None:
            self.saved(0)
        found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept or ())]
        self.kept = None
#: zero_for_none
#: you hand out 0 where None was kept. The operation asks `is None`.
        if self.kept is None:
            self.saved(0)
        found = [0 if item is None else self.saved(i) for i, item in enumerate(self.kept or ())]
#: warns
#: you warn of an edit and go on. A gradient of the new value is wrong: an error is wanted.
        if self.kept is None:
            self.saved(0)
        import warnings
        found = []
        for i, item in enumerate(self.kept or ()):
            if isinstance(item, tuple) and item[1].version != item[2]:
                warnings.warn("edited")
                found.append(item[0])
            else:
                found.append(item if item is None else self.saved(i))
#: notes_as_they_are
#: you hand out the notes themselves. A kept tensor is noted with its array and its version:
#: `self.saved(i)` reads value i of it.
        if self.kept is None:
            self.saved(0)
        found = [item for i, item in enumerate(self.kept or ())]
#: first_for_all
#: every place gets the first value. `self.saved(i)` reads value i.
        if self.kept is None:
            raise RuntimeError
        found = [None if item is None else self.saved(0) for i, item in enumerate(self.kept)]
#: errors_give_nothing
#: you catch the error and hand out nothing. That an edit is an error is the point: let it pass.
        try:
            found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept)]
        except RuntimeError:
            found = []
#: one_further_on
#: you read the value after the one that is wanted. Places are counted from 0.
        if self.kept is None:
            self.saved(0)
        found = [None if item is None else self.saved(i + 1) for i, item in enumerate(self.kept or ())]
#: versions_by_hand
#: you compare versions yourself, and take every kept value for three things in a row. What a hook
#: has packed is one `Packed`: let the node read it.
        if self.kept is None:
            self.saved(0)
        found = []
        for i, item in enumerate(self.kept or ()):
            if item is None:
                found.append(None)
            elif item[1].version != item[2]:
                raise RuntimeError("edited")
            else:
                found.append(self.saved(i))
#: cut_off
#: what you hand out is cut off from the graph: detached, or wrapped anew. A second derivative must
#: find the way on from it: `self.saved(i)` gives what can be handed on as it is.
        if self.kept is None:
            self.saved(0)
        found = [None if item is None else self.saved(i).detach() for i, item in enumerate(self.kept or ())]
#: last_alone
#: you ask only the last kept value whether it was edited. Any of them may have been.
        if self.kept is None:
            self.saved(0)
        if self.kept:
            self.saved(len(self.kept) - 1)
        found = [None if item is None else item[0] for item in self.kept or ()]
#: one_edit_allowed
#: you let one edit pass. A single one makes the value another: any difference of versions is an
#: error.
        if self.kept is None:
            self.saved(0)
        found = []
        for i, item in enumerate(self.kept or ()):
            if isinstance(item, tuple) and item[1].version > item[2] + 1:
                raise RuntimeError("edited")
            found.append(item if item is None else item[0] if isinstance(item, tuple) else self.saved(i))
#: remembered
#: you remember what was read once. An edit since then is an error too: read it through the node
#: each time.
        if self.kept is None:
            self.saved(0)
        cache = self.context.ctx.__dict__.setdefault("_cache", {})
        if id(self) not in cache:
            cache[id(self)] = [None if item is None else self.saved(i) for i, item in enumerate(self.kept or ())]
        found = list(cache[id(self)])
#: another_kind_of_error
#: you raise another kind of error for a freed graph than the library does. `self.saved(0)` raises
#: the right one.
        if self.kept is None:
            raise IndexError("freed")
        found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept)]
#: wants_gradients
#: you make every tensor want a gradient. What was kept comes back as it is.
        if self.kept is None:
            self.saved(0)
        found = []
        for i, item in enumerate(self.kept or ()):
            one = None if item is None else self.saved(i)
            if one is not None and not one.requires_grad:
                one.requires_grad_()
            found.append(one)
#: freed_by_an_edit
#: you drop what was kept when one value was edited. An error is wanted, and the values stay.
        if self.kept is None:
            self.saved(0)
        for item in self.kept or ():
            if isinstance(item, tuple) and item[1].version != item[2]:
                self.kept = None
        found = [None if item is None else self.saved(i) for i, item in enumerate(self.kept or ())]
