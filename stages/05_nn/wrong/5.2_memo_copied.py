        memo = memo | {id(self)}
        yield prefix, self
        for name, child in self._named_children():
            below = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(memo, below, remove_duplicate)
