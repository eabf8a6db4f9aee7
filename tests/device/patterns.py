"""Accesses of a warp to shared memory: sixteen patterns, as loads and stores of
4, 8 and 16 bytes a lane. Reads from Nsight Compute how many wavefronts each
takes on this machine's GPU:  patterns.py build/tests/patterns-gpu FILE.json"""

import csv
import json
import subprocess
import sys

METRIC = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op"
# The index of a lane's word, in units of the access's width
PATTERNS = [
    lambda lane: lane,                        # side by side
    lambda lane: 0,                           # all the same
    lambda lane: lane // 8 * 17,              # rows of Q in stage 0
    lambda lane: lane // 16 * 36,             # rows of P
    lambda lane: lane % 16,                   # a row of V
    lambda lane: lane % 8 * 17,               # rows of K in stage 0
    lambda lane: lane // 2,                   # pairs
    lambda lane: lane // 4,                   # quads
    lambda lane: lane * 2,                    # every second
    lambda lane: lane % 2,
    lambda lane: lane * 17,                   # rows of 17
    lambda lane: lane % 4 * 4 + lane // 4 * 17,
    lambda lane: lane // 2 % 8,               # pairs, the halves alike
    lambda lane: lane % 2 + lane // 4 * 2,    # lanes two apart alike
    lambda lane: lane * 32,                   # one bank
    lambda lane: lane * 8]                    # every eighth
ACCESSES = [(access, size, number) for size in (4, 8, 16)
            for number in range(len(PATTERNS)) for access in ("load", "store")]


def line(access, size, index):
    """For the program."""
    return f"{access} {size} " + " ".join(
        str(size * index(lane)) for lane in range(32))


LINES = "".join(line(access, size, PATTERNS[number]) + "\n"
                for access, size, number in ACCESSES)


def main(program, path):
    counted = subprocess.run(
        ["ncu", "--clock-control", "none", "--csv", "--metrics",
         f"{METRIC}_ld.sum,{METRIC}_st.sum", program], input=LINES,
        stdout=subprocess.PIPE, text=True, check=False).stdout.splitlines()
    # A launch makes one kind of access, so the larger of its two counts is it.
    most = {}
    for row in csv.reader(text for text in counted if text[:1] == '"'):
        if row[0].isdigit():
            launch, count = int(row[0]), int(row[-1].replace(",", ""))
            most[launch] = max(count, most.get(launch, 0))
    if not most:
        sys.exit("Nsight Compute counted nothing.")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"patterns": [
            {"access": access, "bytes": size, "pattern": number,
             "wavefronts": most[launch]}
            for launch, (access, size, number) in enumerate(ACCESSES)]},
            file, indent=2)
    print(f"wrote {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
