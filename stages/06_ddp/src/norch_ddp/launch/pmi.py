"""What the ranks' MPI asks its launcher, answered by rank 0's process: PMI, version 1.

A table of keys and values, and a barrier. `meeting` answers so once all ranks have come, until the
last has gone; one that goes without a word is told to all.
"""

from __future__ import annotations

import os
import selectors
from collections.abc import Sequence
from itertools import groupby

from norch_ddp.launch.guests import ALARM, Guest
from norch_ddp.launch.supervisor import full_shared_memory


class Answers:
    """What the ranks' MPI asks its launcher, and the answers."""

    def __init__(self, guests: Sequence[Guest]) -> None:
        self.guests = guests
        self.name = f"norch_{os.urandom(8).hex()}"  # MPI names its shared memory after it
        hellos = [guest.hello for guest in guests if guest.hello is not None]
        places = process_mapping([hello.host for hello in hellos])
        self.table = {b"PMI_process_mapping": places}  # or all ranks would ask for all hosts
        room = 1024 + len(places)
        self.waiting: list[Guest] = []
        self.fixed = {  # answers that are the same for all
            b"init": "response_to_init rc=0 pmi_version=1 pmi_subversion=1",
            b"get_maxes": f"maxes rc=0 kvsname_max=64 keylen_max=64 vallen_max={room}",
            b"get_appnum": "appnum rc=0 appnum=0",
            b"get_my_kvsname": f"my_kvsname rc=0 kvsname={self.name}",
            b"get_universe_size": f"universe_size rc=0 size={len(guests)}",
            b"finalize": "finalize_ack rc=0",
        }

    def answer(self) -> None:
        """Answer until the last rank has gone."""
        with selectors.DefaultSelector() as selector:
            for guest in self.guests:
                selector.register(guest.socket, selectors.EVENT_READ, guest)
            while selector.get_map():
                for key, _ in selector.select():
                    lines = key.data.lines()
                    for line in lines or ():
                        self.answer_line(key.data, line)
                    if lines is None:
                        selector.unregister(key.data.socket)
                        key.data.socket.close()
                        if not key.data.has_finished:
                            self.tell_of(key.data)
                self.end_barrier(len(selector.get_map()))

    def answer_line(self, guest: Guest, line: bytes) -> None:
        """Answer one line of a rank's MPI; nothing to an abort."""
        words = dict(word.split(b"=", 1) for word in line.split() if b"=" in word)
        command, key = words.get(b"cmd", b""), words.get(b"key", b"")
        if command == b"barrier_in":
            self.waiting.append(guest)
        elif command == b"up":
            guest.is_up = True
        elif command == b"put":
            self.table[key] = words.get(b"value", b"").decode()
            guest.tell(b"cmd=put_result rc=0\n")
        elif command == b"get":
            found = self.table.get(key)
            guest.tell(f"cmd=get_result rc={-(found is None)} value={found}\n".encode())
        elif answer := self.fixed.get(command):
            guest.has_finished = command == b"finalize"
            guest.tell(f"cmd={answer}\n".encode())

    def end_barrier(self, present: int) -> None:
        """End a barrier when all who are still there wait: one that died keeps nobody waiting."""
        if self.waiting and len(self.waiting) >= present:
            for guest in self.waiting:
                guest.tell(b"cmd=barrier_out rc=0\n")
            self.waiting.clear()

    def tell_of(self, lost: Guest) -> None:
        """Tell all ranks that one has gone without a word.

        A rank whose MPI still starts waits inside it, and hears nothing: it is ended from here.
        """
        assert lost.hello is not None
        news = f"{lost.name()} has gone without a word (it was on {lost.hello.host})"
        news += f"{full_shared_memory()}\n"
        here = [guest for guest in self.guests if guest.socket.fileno() >= 0]
        if not all(guest.is_up for guest in here):
            os.write(2, f"{news.strip()}, while MPI started\n".encode())
        for guest in here:
            if guest.is_up:
                guest.tell(ALARM + news.encode())
            else:
                guest.has_finished = True
                guest.end()


def process_mapping(hosts: Sequence[str]) -> str:
    """Return which rank is on which host, as mpich's MPI reads it: (first host, hosts, ranks each).

    >>> process_mapping(["a", "a", "b", "b", "a"])
    '(vector,(0,2,2),(0,1,1))'
    """
    numbers = {host: i for i, host in enumerate(dict.fromkeys(hosts))}
    blocks: list[list[int]] = []
    for host, ranks in groupby(hosts):
        first, count = numbers[host], len(list(ranks))
        if blocks and blocks[-1][2] == count and sum(blocks[-1][:2]) == first:
            blocks[-1][1] += 1
        else:
            blocks.append([first, 1, count])
    return f"(vector,{','.join('({},{},{})'.format(*block) for block in blocks)})"
