"""make arithmetic: do the executor's tensor cores leave the bits of a GPU's?
    compare.py THERE HERE [FOLDER]    files that `run` has written; THERE may be
                                      a sample of such a file
    compare.py --record HERE          prints a sample of HERE
A sample has for each instruction and class of inputs a hash of all outputs.
Prints a table, and writes FOLDER/arithmetic.json. Exit
code 1 where a bit differs."""

import array
import json
import os
import struct
import sys

INSTRUCTIONS = ["wgmma_tiles", "wgmma_registers", "mma_e4m3", "mma_halves"]
CLASSES = ["random", "cancelling", "one_huge", "subnormal", "chain", "c_zero",
           "c_small", "c_large", "zeros", "special"]
OUTPUTS, SHOWN = 8 * 64 * 64, 12
PLACES = [(i, c) for i in range(len(INSTRUCTIONS)) for c in range(len(CLASSES))]


def give_up(code, why):
    print(why, file=sys.stderr)
    sys.exit(code)


def sampled(sums):
    """A hash of all outputs (FNV-1a)."""
    value = 14695981039346656037
    for x in sums:
        value = ((value ^ x) * 1099511628211) & (1 << 64) - 1
    return f"{value:016x}"


def read(path):
    """The device's name, and for each place its outputs, or what a sample has
    of them."""
    try:
        with open(path, "rb") as file:
            name, rest = file.readline().decode().strip(), file.read()
    except (OSError, ValueError):
        give_up(3, f"cannot read {path}.")
    if len(rest) == 4 * OUTPUTS * len(PLACES):
        sums = array.array("I", rest)
        return name, {place: sums[n * OUTPUTS:(n + 1) * OUTPUTS]
                      for n, place in enumerate(PLACES)}
    lines = [line.split() for line in rest.decode("latin").splitlines()]
    if ([line[:2] for line in lines] != [[str(i), str(c)] for i, c in PLACES]
            or any(len(line) != 3 for line in lines)):
        give_up(3, f"{path} has no outputs of this program, and is no sample "
                "of them: record it again.")
    return name, {place: line[2] for place, line in zip(PLACES, lines)}


def difference(there, here, name):
    """How many outputs differ, or "some"; and a line about each that is
    shown."""
    if isinstance(there, str):
        return 0 if there == sampled(here) else "some", []
    pairs = [(k, x, y) for k, (x, y) in enumerate(zip(there, here)) if x != y]

    def shown(x):
        value, = struct.unpack("<f", struct.pack("<I", x))
        return f"{x:08x} ({value:.9g})"
    return len(pairs), [f"{name}, output {k}: there {shown(x)}, here {shown(y)}"
                        for k, x, y in pairs[:1]]


def write(folder, result):
    path = os.path.join(folder, "arithmetic.json")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(path + ".new", "w") as file:
            file.write(json.dumps(result, indent=1) + "\n")
        os.rename(path + ".new", path)
    except OSError as error:
        give_up(3, f"Cannot write {path}: {error.strerror}.")


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--record":
        name, all_sums = read(arguments[1])
        print(name)
        for i, c in PLACES:
            print(i, c, sampled(all_sums[i, c]))
        return 0
    if not 2 <= len(arguments) <= 3:
        give_up(2, "usage: " + __doc__.split("\n", 1)[1])
    (there, theirs), (here, ours) = map(read, arguments[:2])
    found, lines = {}, []
    for i, c in PLACES:
        found[i, c], about = difference(
            theirs[i, c], ours[i, c], f"{INSTRUCTIONS[i]}, {CLASSES[c]}")
        lines += about
    for line in lines[:SHOWN]:
        print(line)
    print(f"{there} and {here}: of {OUTPUTS} outputs each, so many differ")
    print(f"{'inputs':10}" + "".join(f"{name:>16}" for name in INSTRUCTIONS))
    for c, name in enumerate(CLASSES):
        print(f"{name:10}" + "".join(
            f"{found[i, c]:>16}" for i in range(len(INSTRUCTIONS))))
    good = not any(found.values())
    if good:
        print(f"All {len(PLACES) * OUTPUTS} are the same, bit by bit.")
    if len(arguments) == 3:
        write(arguments[2], {
            "schema_version": 1, "there": there, "here": here,
            "sampled": isinstance(theirs[0, 0], str),
            "outputs_each": OUTPUTS, "differences": {
                name: {kind: found[i, c] for c, kind in enumerate(CLASSES)}
                for i, name in enumerate(INSTRUCTIONS)}})
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
