"""How results lie in files: what fits into a line is on one, and so is each
list of plain values."""

import json

LINE = 700


def is_plain(value):
    return not isinstance(value, (dict, list))


def put(value, indent):
    flat = json.dumps(value, separators=(",", ":"))
    plain = is_plain(value) or isinstance(value, list) and all(
        map(is_plain, value))
    if plain or indent and len(flat) <= LINE:
        return flat
    inner = "\n" + " " * (indent + 1)
    if isinstance(value, list):
        parts = (put(part, indent + 1) for part in value)
    else:
        parts = (f"{json.dumps(key)}: {put(part, indent + 1)}"
                 for key, part in value.items())
    ends = "[]" if isinstance(value, list) else "{}"
    return (ends[0] + inner + ("," + inner).join(parts) + inner[:-1] + ends[1])


def text(value):
    return put(value, 0) + "\n"
