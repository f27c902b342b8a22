"""A cable between two hosts: a veth pair between two network namespaces of this machine.

`test_two_hosts.py` trains over it and pulls it out; `benchmarks/simulation.py` measures over it. It
needs the right to make namespaces: `lay` says so where it is missing.
"""

import itertools
import os
import subprocess
import sys
import time

numbers = itertools.count()
A, B = "10.77.0.1", "10.77.0.2"


def tool(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


class Cable:
    """A veth pair between two namespaces, named after this process."""

    def __init__(self):
        number = f"{os.getpid()}-{next(numbers)}"
        self.spaces = [f"norch-{number}-a", f"norch-{number}-b"]

    def lay(self):
        """Make it; return what went wrong, if something did."""
        for space in self.spaces:
            if (made := tool("ip", "netns", "add", space)).returncode:
                return made.stderr
        here = ["ip", "link", "add", "cable", "netns", self.spaces[0], "type", "veth"]
        if (made := tool(*here, "peer", "name", "cable", "netns", self.spaces[1])).returncode:
            return made.stderr
        for space, address in zip(self.spaces, (A, B), strict=True):
            self.inside(space, "ip", "addr", "add", f"{address}/24", "dev", "cable")
            self.inside(space, "ip", "link", "set", "cable", "up")
            self.inside(space, "ip", "link", "set", "lo", "up")
        until = time.monotonic() + 100
        while not all(map(self.is_up, self.spaces)):  # a moment after both ends were told
            if time.monotonic() > until:
                return "the link between them does not come up"
            time.sleep(0.05)
        return ""

    def is_up(self, space):
        state = self.inside(space, "cat", "/sys/class/net/cable/operstate")
        return state.stdout.strip() == "up"

    def inside(self, space, *words):
        return tool("ip", "netns", "exec", space, *words)

    def pull(self, how):
        """Take the cable out ("down") or put it back ("up")."""
        self.inside(self.spaces[0], "ip", "link", "set", "cable", how)

    def slow_down(self, rate, burst="64kb"):
        shape = ["tbf", "rate", rate, "burst", burst, "latency", "400ms"]
        for space in self.spaces:
            slowed = self.inside(space, "tc", "qdisc", "add", "dev", "cable", "root", *shape)
            assert not slowed.stderr

    def launch(self, script, *args):
        """Start the launcher in both namespaces; return both processes."""
        head = [sys.executable, "-m", "norch_ddp.run", "--nnodes=2", f"--master_addr={A}"]
        return [self.start(n, *head, f"--node_rank={n}", script, *args) for n in (0, 1)]

    def start(self, number, *words, **names):
        """Start a program in one of the namespaces, where the host has a name of its own."""
        rename = f'hostname host-{"ab"[number]}; exec "$@"'
        inside = ["ip", "netns", "exec", self.spaces[number], "unshare", "-u", "sh", "-c", rename]
        return subprocess.Popen(
            [*inside, "sh", *map(str, words)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # One machine in truth: MPI must not find shared memory, or another way.
            env={**os.environ, "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "cable", **names},
        )

    def take_away(self):
        for space in self.spaces:
            pids = tool("ip", "netns", "pids", space).stdout.split()
            for pid in pids:
                tool("kill", "-9", pid)
            tool("ip", "netns", "del", space)
