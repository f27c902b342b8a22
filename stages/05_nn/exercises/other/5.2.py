#: own_stack
#: a list of what is still to be visited takes the place of the calls. A pair passes through one
#: generator instead of one a level, and no depth is too deep; the question above the hole has to be
#: asked a second time, and the children are pushed in reverse.
        stack = [(prefix, self)]
        while stack:
            path, module = stack.pop()
            if remove_duplicate and id(module) in memo:
                continue
            memo.add(id(module))
            yield path, module
            dot = path + "." if path else ""
            stack += [(dot + name, child) for name, child in module._named_children()][::-1]
