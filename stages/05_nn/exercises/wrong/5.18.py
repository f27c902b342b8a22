#: newest_first | drops: ask the first of `waiting`
#: you ask the worker that got its task last. The batches must come in the order of the tasks: the
#: first of `waiting`.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.pop()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
#: one_ahead | drops: hand out `self.ahead` tasks
#: you hand out one task at the start, so one worker works and the others wait.
        self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
#: one_each
#: you hand out one task a worker. `self.ahead` says how many are under way: a worker needs the
#: next one before it has finished.
        for _ in range(len(self.workers)):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
#: no_more | drops: hand out one more task
#: you never hand out more than the first tasks. For each answer that is read, one more is handed
#: out.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
#: after_the_yield | drops: before you yield the content
#: you hand out the next task after the yield. While the batch is used, the worker that made it has
#: nothing to do.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
            self._hand_out(tasks, epoch, turns, waiting)
#: one_answer | drops: as long as somebody is waited for
#: you read as many answers as were handed out at first. Go on as long as somebody is waited for.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        for _ in range(len(waiting)):
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
#: one_if
#: you read one answer and stop: it takes a loop.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        if waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
#: yields_the_end | drops: the content of a `BATCH`
#: you yield what came with an END, which is nothing. Only a `BATCH` is yielded.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind not in (BATCH, END):
                _raise_again(number, *content)
            yield content
#: yields_the_pair
#: you yield kind and content. Whoever iterates wants the batch alone.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield kind, content
            elif kind != END:
                _raise_again(number, *content)
#: turns_kept | drops: take it out of `turns`
#: you leave a worker that has no more in `turns`. It gets tasks that others could do, and the loop
#: never ends.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
#: removed_twice | drops: if it is still there
#: you take a worker out of `turns` twice. Several answers of it may still be on their way, and
#: each says END.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
#: stops_at_the_first_end
#: you stop at the first END. It is one worker's; the others have batches still.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END:
                return
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
#: errors_ignored | drops: Any other kind is an error
#: you pass over the errors of workers. A batch is missing then, and nobody is told.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
#: errors_are_batches
#: you yield an error as if it were a batch.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind != END:
                yield content
#: all_at_once
#: you hand out all tasks before you read the first answer. They may be endless, and all batches
#: would be held at once.
        before = -1
        while before < len(waiting) < 1000:
            before = len(waiting)
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
#: end_hands_out_none
#: you hand out nothing after an END. The other workers then have one task less under way, for
#: good.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            if kind != END:
                self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
#: empty_content_skipped
#: you ask the content whether it counts as True. A batch may be anything, also None, 0 or an empty
#: list: the kind says that it is one.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH and content:
                yield content
            elif kind not in (END, BATCH):
                _raise_again(number, *content)
#: names_another_worker
#: your error names another worker than the one that met it. `number` is the one you asked.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(turns[0], *content)
#: error_at_the_end
#: you keep an error until all batches are read. It is raised where its batch would have come.
        errors = []
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                errors.append((number, *content))
        for error in errors:
            _raise_again(*error)
#: another_epoch
#: you ask for another epoch than the one you were given. What workers still answer from an earlier
#: one would be taken for this one's.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, 0)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
#: one_kind_of_error
#: you know one kind of error and pass over the others. Whatever is neither a BATCH nor END is one.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind == "error":
                _raise_again(number, *content)
#: nothing_handed_out
#: you never hand out the first tasks, so nobody is waited for.
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
#: every_answer_is_an_end
#: you take a worker out of `turns` that has more batches. Only END says that it has none.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
#: end_is_an_error
#: you take END for an error. It says that this worker has no more, and nothing is yielded.
        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        while waiting:
            number = waiting.popleft()
            kind, content = self._receive(number, epoch)
            if kind == END and number in turns:
                turns.remove(number)
            self._hand_out(tasks, epoch, turns, waiting)
            if kind == BATCH:
                yield content
            else:
                _raise_again(number, *content)
