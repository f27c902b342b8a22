#: two_loops
#: an inner generator keeps the workers busy, and an outer loop decides what an answer means. Each
#: does one thing; every batch passes through one generator more.
        def answers() -> Iterator[tuple[int, str, Any]]:
            while waiting:
                number = waiting.popleft()
                kind, content = self._receive(number, epoch)
                if kind == END and number in turns:
                    turns.remove(number)
                self._hand_out(tasks, epoch, turns, waiting)
                yield number, kind, content

        for _ in range(self.ahead):
            self._hand_out(tasks, epoch, turns, waiting)
        for number, kind, content in answers():
            if kind == BATCH:
                yield content
            elif kind != END:
                _raise_again(number, *content)
