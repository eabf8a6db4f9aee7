"""Numbers that are drawn: the same seed draws the same on every machine."""

import os
import re

from command import stop


def generator(seed):
    """A function: count -> the next number from 0 to count - 1."""
    state = seed % 2**31

    def draw(count):
        nonlocal state
        state = (state * 1103515245 + 12345) % 2**31
        return state // 65536 % count
    return draw


def seed_of(what, digits):
    """A number that nobody could have known before; or SEEDS in the
    environment, of so many digits at most. `what` is drawn from it, and begins
    the sentence that refuses another text."""
    asked = os.environ.get("SEEDS", "")
    if not asked:
        return int.from_bytes(os.urandom(4), "little") % 10**digits
    if not re.fullmatch(f"[0-9]{{1,{digits}}}", asked):
        stop(2, f"{what} is drawn from one number, not from '{asked}'.")
    return int(asked)
