#: table_of_kinds
#: a table says under which name each class is remembered, and a loop looks for the row. A third
#: kind is one line more; in return the reader must know that the `else` of a `for` runs where no
#: row was found.
        table = {Parameter: "_parameter_names", Tree: "_module_names"}
        for kind, names in table.items():
            if isinstance(value, kind):
                self._remember(names, name, value)
                break
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
