"""The recorded tensors of a model, as common/harness/recorded reads them.
Needs no PyTorch."""

import math
import re
from types import SimpleNamespace

from command import Refusal

FILE, HEADER = "common/tensors/minilm.qkv", 96
LINE = re.compile(r"recorded tensors 1: layers (\d+) heads (\d+) rows (\d+) "
                  r"width (\d+) checksum ([0-9a-f]{16})\s*")
PARTS = 3  # Q, K, V


def checksum(data):
    """FNV-1a."""
    found = 0xcbf29ce484222325
    for byte in data:
        found = (found ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return found


def read_tensors(path=FILE):
    """Their layers, heads, rows and width, and numbers in fp16:
    [layer][Q, K, V][head][row][width]."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as reason:
        raise Refusal(f"Cannot read the recorded tensors, {path}: "
                      f"{reason.strerror}.") from None
    line = LINE.fullmatch(data[:HEADER].decode("ascii", "replace"))
    if not line:
        raise Refusal(f"{path} does not begin as recorded tensors do.")
    sizes = [int(n) for n in line.groups()[:4]]
    count = PARTS * math.prod(sizes)
    data = data[HEADER:]
    if len(data) < 2 * count:
        raise Refusal(f"{path} is cut off: it lacks "
                      f"{2 * count - len(data)} of {2 * count} bytes.")
    if len(data) > 2 * count or checksum(data) != int(line[5], 16):
        raise Refusal(f"{path} is damaged: its checksum is not that of its "
                      "numbers.")
    return SimpleNamespace(numbers=data, **dict(zip(
        ("layers", "heads", "rows", "width"), sizes)))
