#!/usr/bin/env python3
"""alone.py COMMAND...: runs a command that works on a GPU, after whoever on this
machine is doing so now: they would disturb each other's times. The lock is a
file that all users can read; GPU_LOCK names another one. Exit: the
command's."""

import contextlib
import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import call, end, lock


def alone(words):
    path = os.environ.get("GPU_LOCK") or "/tmp/libfp8attention-gpu.lock"
    with contextlib.suppress(OSError):
        new = os.open(path, os.O_CREAT | os.O_EXCL)
        os.fchmod(new, 0o644)
        os.close(new)
    try:
        file = open(path, "rb")
    except OSError:
        print(f"Nobody is kept from the GPU at the same time: {path} cannot be "
              "opened.", file=sys.stderr)
        return call(words)
    with file:  # the command's own children do not inherit it
        lock(file, "Waiting for the GPU: somebody is at work on it.")
        return call(words)


if __name__ == "__main__":
    end(alone, sys.argv[1:])
