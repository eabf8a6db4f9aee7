"""Recorded results, read so that nothing in them is believed unseen."""

import json
import math

UNITS = ("_us", "_ns", "_mhz", "_w", "_bytes")
WORDS = {dict: "an object", list: "an array", str: "a text",
         bool: "true or false", type(None): "null"}
NUMBER = (int, float)


class Unreadable(Exception):
    """One sentence, with the file and the key in it."""


def shown(value):
    return f"{value:.9g}" if is_number(value) else WORDS[type(value)]


def is_number(value):
    return isinstance(value, NUMBER) and not isinstance(value, bool)


def check(path, value, keys):
    """All of a result, as common/harness/record/figures.h says. The last of
    the keys that is no index names the unit."""
    key = next((key for key in reversed(keys) if isinstance(key, str)), "")
    if isinstance(value, list):
        for index, part in enumerate(value):
            check(path, part, (*keys, index))
    elif key.endswith(UNITS) or key in ("us", "ns"):
        above = key.endswith("p50_us")
        if value is not None and not (
                is_number(value) and math.isfinite(value)
                and (value > 0 if above else value >= 0)):
            raise Unreadable(
                f"{path}: {'/'.join(map(str, keys))} is {shown(value)}, and "
                f"must be a number {'above 0' if above else 'of 0 or more'}.")
    elif isinstance(value, dict):
        for name, part in value.items():
            check(path, part, (*keys, name))


def refuse_constant(name):
    raise ValueError(f"{name} is no number of JSON")


class Section:
    """A part of a result, with the file and the keys that lead to it."""

    def __init__(self, path, keys, value):
        self.path, self.keys, self.value = path, keys, value

    def get(self, key, kinds, wanted, *default):
        place = "/".join((*self.keys, key))
        value = self.value.get(key)
        if value is None:
            if default:
                return default[0]
            raise Unreadable(f"{self.path}: it has no {place}.")
        if not isinstance(value, kinds) or (isinstance(value, bool)
                                            and kinds is not bool):
            raise Unreadable(f"{self.path}: {place} is {shown(value)}, and "
                             f"must be {wanted}.")
        return value

    def section(self, key, *default):
        value = self.get(key, dict, "an object", *default)
        return (None if value is None
                else Section(self.path, (*self.keys, key), value))

    def sections(self):
        """By key: each value must be an object."""
        return {key: self.section(key) for key in self.value}

    def number(self, key, *default):
        return self.get(key, NUMBER, "a number", *default)

    def text(self, key, *default):
        return self.get(key, str, "a text", *default)


def read(path):
    """The file as a Section. Unreadable, where it is no result."""
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file, parse_constant=refuse_constant)
    except OSError as reason:
        raise Unreadable(f"Cannot read {path}: {reason.strerror}.") from None
    except RecursionError:
        raise Unreadable(f"{path} is not valid JSON: its brackets are too "
                         "deep.") from None
    except json.JSONDecodeError as reason:
        raise Unreadable(f"{path} is not valid JSON: line {reason.lineno}: "
                         f"{reason.msg}.") from None
    except ValueError as reason:
        raise Unreadable(f"{path} is not valid JSON: {reason}.") from None
    if not isinstance(value, dict):
        raise Unreadable(f"{path}: it has no build_meta.")
    check(path, value, ())
    return Section(path, (), value)
