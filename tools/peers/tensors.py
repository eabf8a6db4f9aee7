"""The recorded tensors of a model, as common/harness/recorded reads them.
Needs no PyTorch."""

import re
import struct
from typing import NamedTuple

from command import Refusal

FILE, HEADER = "common/tensors/minilm.qkv", 96
LINE = re.compile(r"recorded tensors 1: layers (\d+) heads (\d+) rows (\d+) "
                  r"width (\d+) checksum ([0-9a-f]{16})\s*")
PARTS = 3  # Q, K, V


class Tensors(NamedTuple):
    layers: int
    heads: int
    rows: int
    width: int
    values: tuple  # [layer][Q, K, V][head][row], flat

    def head(self, layer, part, head):
        """Its rows, each a list."""
        size = self.rows * self.width
        first = ((layer * PARTS + part) * self.heads + head) * size
        return [list(self.values[at:at + self.width])
                for at in range(first, first + size, self.width)]


def checksum(data):
    """FNV-1a."""
    found = 0xcbf29ce484222325
    for byte in data:
        found = (found ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return found


def read_tensors(path=FILE):
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
    count = PARTS * sizes[0] * sizes[1] * sizes[2] * sizes[3]
    data = data[HEADER:]
    if len(data) < 2 * count:
        raise Refusal(f"{path} is cut off: it lacks "
                      f"{2 * count - len(data)} of {2 * count} bytes.")
    if len(data) > 2 * count or checksum(data) != int(line[5], 16):
        raise Refusal(f"{path} is damaged: its checksum is not that of its "
                      "numbers.")
    return Tensors(*sizes, struct.unpack(f"<{count}e", data))
