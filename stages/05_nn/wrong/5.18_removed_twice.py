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
