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
