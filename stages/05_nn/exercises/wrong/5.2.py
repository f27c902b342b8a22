#: children_first | drops: Yield the pair `(prefix, self)` first
#: you yield the children before their parent. PyTorch's order is the parent first, and a
#: `state_dict` keeps that order.
        memo.add(id(self))
        for name, child in self._named_children():
            below = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(memo, below, remove_duplicate)
        yield prefix, self
#: no_memo | drops: hand the same set down
#: you walk with a fresh memo each time, so a module used in two places comes twice, and so would
#: its weights in the optimizer.
        memo.add(id(self))
        yield prefix, self
        for name, child in self._named_children():
            below = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(None, below, remove_duplicate)
#: not_entered | drops: enter `id(self)`
#: the memo that was given never learns of this module: one that is used in two places comes twice.
#: Enter the id into that very set.
        yield prefix, self
        for name, child in self._named_children():
            below = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(memo, below, remove_duplicate)
#: leading_dot | drops: its children have no dot
#: you put a dot in front of the first name. The root has an empty path: a dot stands only between
#: two names.
        memo.add(id(self))
        yield prefix, self
        for name, child in self._named_children():
            below = f"{prefix}.{name}"
            yield from child.named_modules(memo, below, remove_duplicate)
#: own_name | drops: A child's path is its parent's, a dot and its own name
#: you give each module its own name alone. Two layers with the same name in different places could
#: not be told apart.
        memo.add(id(self))
        yield prefix, self
        for name, child in self._named_children():
            below = name
            yield from child.named_modules(memo, below, remove_duplicate)
#: last_first | drops: in the order of `self._named_children()`
#: you walk from the last child to the first. The order is that of the children.
        memo.add(id(self))
        yield prefix, self
        for name, child in reversed(list(self._named_children())):
            below = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(memo, below, remove_duplicate)
#: one_level
#: you list the children and not what is below them. Let each child do its own walk.
        memo.add(id(self))
        yield prefix, self
        for name, child in self._named_children():
            below = f"{prefix}.{name}" if prefix else name
            yield below, child
#: paths_alone
#: you yield the path without the module. Whoever walks wants both, as a pair.
        memo.add(id(self))
        yield prefix
        for name, child in self._named_children():
            below = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(memo, below, remove_duplicate)
#: walks_yielded
#: you yield the walk of a child as one thing. `yield from` passes on all that it yields.
        memo.add(id(self))
        yield prefix, self
        for name, child in self._named_children():
            below = f"{prefix}.{name}" if prefix else name
            yield child.named_modules(memo, below, remove_duplicate)
#: duplicates_lost
#: you do not hand `remove_duplicate` on. Who wants every path, finds each module once all the
#: same.
        memo.add(id(self))
        yield prefix, self
        for name, child in self._named_children():
            below = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(memo, below)
#: slashes
#: you join the names by a slash. The paths are those of a `state_dict`: a dot.
        memo.add(id(self))
        yield prefix, self
        for name, child in self._named_children():
            below = f"{prefix}/{name}" if prefix else name
            yield from child.named_modules(memo, below, remove_duplicate)
#: root_left_out
#: you leave out the module where the walk begins.
        memo.add(id(self))
        if prefix:
            yield prefix, self
        for name, child in self._named_children():
            below = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(memo, below, remove_duplicate)
#: memo_copied
#: the memo that was given never learns of this module: one that is used in two places comes twice.
#: Enter the id into that very set.
        memo = memo | {id(self)}
        yield prefix, self
        for name, child in self._named_children():
            below = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(memo, below, remove_duplicate)
#: entered_last
#: you enter the id when the walk below is over. A module that is met again further down, as in a
#: circle, is then walked once more, and again, without end: enter it first.
        yield prefix, self
        for name, child in self._named_children():
            below = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(memo, below, remove_duplicate)
        memo.add(id(self))
#: entered_if_asked
#: you enter the id only where duplicates are not wanted. It is entered in every case; whether it is
#: asked for stands above the region.
        if remove_duplicate:
            memo.add(id(self))
        yield prefix, self
        for name, child in self._named_children():
            below = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(memo, below, remove_duplicate)
#: sorted_names
#: you sort the children by their names. The order is that in which they were set.
        memo.add(id(self))
        yield prefix, self
        for name, child in sorted(self._named_children(), key=lambda pair: pair[0]):
            below = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(memo, below, remove_duplicate)
#: none_walked
#: you walk over a child that is None. `_named_children()` leaves these out.
        memo.add(id(self))
        yield prefix, self
        for name, child in self._modules.items():
            below = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(memo, below, remove_duplicate)
#: level_by_level
#: you walk level by level. A child comes with everything below it before the next child does.
        memo.add(id(self))
        yield prefix, self
        queue = [(prefix, self)]
        for path, module in queue:
            for name, child in module._named_children():
                if not (remove_duplicate and id(child) in memo):
                    memo.add(id(child))
                    below = f"{path}.{name}" if path else name
                    yield below, child
                    queue.append((below, child))
