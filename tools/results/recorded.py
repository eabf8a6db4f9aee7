"""Recorded results: where they lie, read so that nothing in them is believed
unseen, and written whole or not at all."""

import functools
import glob
import json
import math
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import Refusal

UNITS = ("_us", "_ns", "_mhz", "_w", "_bytes")
NOT_BELOW = ("us", "ns", "steps_above")  # zero; nor what ends in a unit
NUMBER = (int, float)
WORDS = {dict: "an object", list: "an array", str: "a text",
         bool: "true or false", type(None): "null", NUMBER: "a number"}
SCHEMA = 1
LINE = 700  # the longest of a file
BATCHES = 10  # of samples: noise
DATE = re.compile(r"/(\d{4}-\d\d-\d\d)(/|$)")
# Of an arm of a stage; what kind of record it is, if not of a bench.
ARM = re.compile(r"stage\d\w*(?:\.[A-Z]\w*-\d+)*((?:\.[a-z]+)?)\.json")
# A pack holds such files of a folder, each under its name: pack.py.
PACK = re.compile(r"arms(\.[a-z]+)?\.json")


class Unreadable(Refusal):
    """It has the file and the key in it."""


def shown(value):
    return f"{value:.9g}" if is_number(value) else WORDS[type(value)]


def is_number(value):
    return isinstance(value, NUMBER) and not isinstance(value, bool)


def check(path, value, keys):
    """All of a result. The last of the keys that is no index names the unit:
    what ends in one of UNITS, or is of NOT_BELOW, is a number that is not below
    zero, a list of such, or null; what ends in p50_us is above zero."""
    key = next((key for key in reversed(keys) if isinstance(key, str)), "")
    if isinstance(value, list):
        for index, part in enumerate(value):
            check(path, part, (*keys, index))
    elif key.endswith(UNITS) or key in NOT_BELOW:
        above = key.endswith("p50_us")
        if value is not None and not (
                is_number(value) and math.isfinite(value)
                and (value > 0 if above else value >= 0)):
            place = re.sub(r"[\x00-\x1f\x7f]", "?", "/".join(map(str, keys)))
            raise Unreadable(
                f"{path}: {place} is {shown(value)}, and must be a number "
                f"{'above 0' if above else 'of 0 or more'}.")
    elif isinstance(value, dict):
        for name, part in value.items():
            check(path, part, (*keys, name))


def refuse_constant(name):
    raise ValueError(f"{name} is no number of JSON")


def without_doubles(pairs):
    value = {}
    for key, part in pairs:
        if key in value:
            raise ValueError(f'the key "{key}" is there twice')
        value[key] = part
    return value


class Section:
    """A part of a result, with the file and the keys that lead to it."""

    def __init__(self, path, keys, value):
        self.path, self.keys, self.value = path, keys, value

    def get(self, key, kind, *default):
        place = "/".join((*self.keys, key))
        value = self.value.get(key)
        if value is None:
            if default:
                return default[0]
            raise Unreadable(f"{self.path}: it has no {place}.")
        if not isinstance(value, kind) or (isinstance(value, bool)
                                           and kind is not bool):
            raise Unreadable(f"{self.path}: {place} is {shown(value)}, and "
                             f"must be {WORDS[kind]}.")
        return value

    def section(self, key, *default):
        value = self.get(key, dict, *default)
        return (None if value is None
                else Section(self.path, (*self.keys, key), value))

    def sections(self):
        """By key: each value must be an object."""
        return {key: self.section(key) for key in self.value}

    def number(self, key, *default):
        return self.get(key, NUMBER, *default)

    def text(self, key, *default):
        return self.get(key, str, *default)


def pack_of(path):
    """The pack that a file may be in; None where no pack holds such."""
    folder, name = os.path.split(path)
    found = ARM.fullmatch(name)
    return found and f"{folder}/arms{found[1]}.json"


@functools.cache
def packed_then(pack, *_):
    with open(pack, encoding="utf-8") as file:
        text = file.read()
    return {f"{os.path.dirname(pack)}/{its[1]}": its[2] + "\n"
            for its in re.finditer(r'^"([^"\n]+)": (\{\n.*?^\})', text,
                                   re.M | re.S)}


def packed(pack):
    """What a pack holds, if it is there: by path, the texts of the files."""
    try:
        now = os.stat(pack or "")
    except OSError:
        return {}
    return packed_then(pack, now.st_mtime_ns, now.st_ino)


def exists(path):
    """As a file, or in a pack."""
    return os.path.exists(path) or str(path) in packed(pack_of(path))


def files(folder, deep=False):
    """The paths of a folder's files in JSON, of those in packs, too."""
    found = set(glob.glob(f"{folder}/{'**/' * deep}*.json", recursive=deep))
    packs = {path for path in found if PACK.fullmatch(os.path.basename(path))}
    return sorted((found - packs).union(*map(packed, packs)))


def text_of(path):
    """Of a file, or of that in a pack: what was written last is the file."""
    if not os.path.exists(path) and exists(path):
        return packed(pack_of(path))[str(path)]
    with open(path, encoding="utf-8") as file:
        return file.read()


def load(path):
    """The object in a file. Unreadable, where a figure in it cannot be."""
    try:
        value = json.loads(text_of(path), parse_constant=refuse_constant,
                           object_pairs_hook=without_doubles)
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
    return value


def read(path):
    """The file as a Section. Unreadable, where it is no result."""
    result = Section(path, (), load(path))
    schema = result.section("build_meta").number("schema_version")
    if schema != SCHEMA:
        raise Unreadable(f"{path} has schema version {schema}, and this "
                         f"program reads version {SCHEMA}: record it again.")
    return result


def folders(root="results"):
    """ROOT/DEVICE/DATE, and ROOT/DEVICE/DATE/PART for what belongs to one
    chapter: the newest date first, a run of all stages before its parts."""
    found = [path[:-1] for below in ("*/*/", "*/*/*/")
             for path in glob.glob(f"{root}/{below}")]
    return sorted(sorted(filter(DATE.search, found)), reverse=True,
                  key=lambda path: DATE.search(path)[1])


def newest(name, folder="", root="results"):
    """All files of that name, the newest first; in `folder` alone, if that is
    not empty."""
    return [path for place in ([folder] if folder else folders(root))
            if exists(path := f"{place}/{name}")]


def carried(ledger, stage, arm, *hashes):
    """Are both hashes of an arm the same, or in the ledger of make carry?"""
    return len({*hashes}) == 1 or any(
        kernel["stage"] == stage and kernel["arm"] == arm
        and {*hashes} <= {*kernel["kernel_hashes"]}
        for kernel in ledger.get("kernels", []))


def holds(path, now):
    """Is what the file holds about the kernel of that hash, or, by the ledger of
    its day, about one of the same machine code?"""
    meta, day = read(path).value["build_meta"], DATE.search(path)
    then, ledger = meta.get("kernel_hash"), (
        f"{path[:day.end(1)]}/machine-code.json" if day else "")
    return carried(load(ledger) if os.path.exists(ledger) else {},
                   meta.get("stage"), meta.get("arm"), then, now)


def newest_of(name, folder, what="run", stage=""):
    """The newest file of that name, which is said, and whether the kernel of a
    stage has changed since; or None."""
    from kernel_hash import kernel_hash
    for path in newest(name, folder)[:1]:
        print(f"No GPU was used: this is the newest recorded {what}, {path}.")
        try:
            if stage and not holds(path, kernel_hash(stage)):
                print(f"The kernel has changed since: its {what} may have, "
                      "too.")
        except Unreadable:
            pass  # which is said by whoever prints it
        return path
    return None


def as_json(value, indent=0):
    """As a result lies in a file: what fits into a line is on one, and so is
    each list of plain values."""
    flat, named = json.dumps(value, separators=(",", ":")), {}
    if isinstance(value, dict):
        named, value = value, [*value.values()]
    if indent and len(flat) <= LINE or not named and not (
            isinstance(value, list)
            and any(isinstance(its, (dict, list)) for its in value)):
        return flat
    parts = [as_json(its, indent + 1) for its in value]
    if named:
        parts = [f"{json.dumps(key)}: {its}" for key, its in zip(named, parts)]
    inner = "\n" + " " * (indent + 1)
    return (flat[0] + inner + ("," + inner).join(parts) + inner[:-1] + flat[-1]
            + "\n" * (not indent))


def file_name(word, kind=""):
    """Of the result of STAGE/ARM."""
    stage, _, arm = word.partition("/")
    return f"{stage}{'' if arm in ('', 'default') else f'.{arm}'}{kind}.json"


def rounded(value):
    """As the harness writes its numbers: 7 digits of those with a fraction."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return float(f"{value:.7g}") if isinstance(value, float) else value


# ---- samples, as common/harness/timing.c summarises and writes them ----

def percentile(values, percent):
    """The smallest that so large a share does not exceed."""
    return sorted(values)[max(math.ceil(percent * len(values) / 100), 1) - 1]


def in_steps(samples):
    """Of microseconds, what samples_of gives again, to the nanosecond."""
    ns = [round(1000 * us) for us in samples]
    least = min(ns)
    step = math.gcd(*(its - least for its in ns))
    return {"least_ns": least, "step_ns": step,
            "steps_above": [(its - least) // (step or 1) for its in ns]}


def samples_of(its):
    """Of a method's times, in microseconds, in the order they were taken."""
    its = its["samples"]
    return [(its["least_ns"] + its["step_ns"] * steps) / 1000
            for steps in its["steps_above"]]


def noise(ours, twin):
    """The largest difference of two identical arms' medians over ten parts."""
    size = len(ours) // BATCHES
    return max(abs(percentile(ours[i * size:(i + 1) * size], 50)
                   - percentile(twin[i * size:(i + 1) * size], 50))
               for i in range(BATCHES))


def summary(samples):
    return {"p50_us": percentile(samples, 50),
            "p90_us": percentile(samples, 90),
            "mean_us": math.fsum(samples) / len(samples),
            "count": len(samples), "samples": in_steps(samples)}
