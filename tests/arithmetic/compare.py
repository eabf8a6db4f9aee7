"""make arithmetic: do the executor's tensor cores leave the bits of a GPU's?
    compare.py THERE HERE FOLDER    THERE, HERE: what `sums` has written
Prints a table, and writes FOLDER/arithmetic.json. Exit code 1 where a bit
differs."""

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools/common"))
from command import end, write

INSTRUCTIONS = ["wgmma_tiles", "wgmma_registers", "mma_e4m3", "mma_halves"]
CLASSES = ["random", "cancelling", "one_huge", "subnormal", "chain", "c_zero",
           "c_small", "c_large", "zeros", "special"]
OUTPUTS = 8 * 64 * 64  # of each


def read(path):
    """The device's name, and a hash of each instruction's and class's sums."""
    name, *lines = Path(path).read_text().splitlines()
    return name, [line.split()[2] for line in lines]


def main(there, here, folder):
    (there, theirs), (here, ours) = map(read, (there, here))
    differ = (0 if one == other else "some"
              for one, other in zip(theirs, ours, strict=True))
    found = {name: {kind: next(differ) for kind in CLASSES}
             for name in INSTRUCTIONS}
    print(f"{there} and {here}: which differ, of {OUTPUTS} sums each")
    print(f"{'inputs':10}" + "".join(f"{name:>16}" for name in INSTRUCTIONS))
    for kind in CLASSES:
        print(f"{kind:10}" + "".join(f"{found[name][kind]:>16}"
                                     for name in INSTRUCTIONS))
    if theirs == ours:
        print(f"All {len(ours) * OUTPUTS} are the same, bit by bit.")
    write(f"{folder}/arithmetic.json", json.dumps({
        "schema_version": 1, "there": there, "here": here,
        "outputs_each": OUTPUTS, "differences": found}, indent=1) + "\n")
    return 0 if theirs == ours else 1


if __name__ == "__main__":
    end(main, *sys.argv[1:])
