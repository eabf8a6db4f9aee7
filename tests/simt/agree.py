"""make agree: does this GPU leave the bytes that the executor leaves?
    agree.py DRIVER FOLDER    DRIVER: build/tests/simt/driver-gpu
Runs each wrapper of common/device/ptx on random bits, and the kernels of the
executor's tests. Prints a line a wrapper, and writes FOLDER/agree.json. Exit
code 1 where a byte differs, 3 where nothing ran.
A run of wrappers*.cu that is not recorded judges itself: it is called as its
wrapper, and leaves its number i as word i of what is right."""

import hashlib
import json
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
PTX = HERE.parents[1] / "common/device/ptx"
RECORDS = "agree_wrappers.executor", "agree.h200", "agree_hopper.h200"
SECONDS = 20  # for one run
RIGHT = "2b911f13bc083027"  # what a run leaves that judges itself
# What an instruction leaves open is judged by the kernel, and not its bits.
JUDGED = {RIGHT: "right, as the twin",
          "0b274932b951eb27": "goes on and never back, as the twin"}


def recorded():
    """{job: (hash, the wrappers that it runs)}"""
    rows = [line.split() for name in RECORDS
            for line in (HERE / name).read_text().splitlines()
            if not line.startswith("#")]
    listed = {row[0] for row in rows}
    rows += [[name, "0", "0", RIGHT, name] for path in sorted(HERE.glob(
        "kernels/wrappers*.cu")) for name in re.findall(
            r"(?m)^RUN(?:_OF)?\((\w+)", path.read_text()) if name not in listed]
    return {" ".join(row[:3]): (row[3], row[4:]) for row in rows}


def answer(driver, job):
    """What it leaves: a hash, None where this GPU lacks the instruction, or why
    there is none."""
    try:
        ran = subprocess.run([driver], input=job, capture_output=True,
                             text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"ran for more than {SECONDS} s"
    if ran.returncode:
        return None if ran.returncode == 2 else ran.stderr.strip()
    return ran.stdout.strip()


def gpu():
    said = subprocess.getoutput(
        "nvidia-smi --query-gpu=name,driver_version --format=csv,noheader "
        "2>/dev/null | head -n 1")
    name, _, driver = said.partition(", ")
    return name or "a GPU", driver


def told(what, jobs, wanted, found):
    """A line about the jobs of one wrapper, and what the record says of it."""
    ran = [job for job in jobs if found[job] is not None]
    other = {job: found[job] for job in ran if found[job] != wanted[job][0]}
    if not ran:
        said = "not on this GPU"
    elif other:
        said = f"{len(other)} of {len(ran)} runs differ: " + "; ".join(
            f"{job} left {left}" for job, left in other.items())
    else:
        said = f"{len(ran)} run{'s' * (len(ran) > 1)}, " + JUDGED.get(
            wanted[ran[0]][0], "the same bits")
    print(f"{what:30}{said}")
    return {"runs": len(ran), "different": other}


def main(words):
    if len(words) != 2:
        print("usage: " + __doc__.split("\n", 1)[1], file=sys.stderr)
        return 2
    wanted = recorded()
    found = {job: answer(words[0], job) for job in wanted}
    wrappers = dict.fromkeys(w for _, names in wanted.values() for w in names)
    name, driver = gpu()
    print(f"{name} and CPU executor, wrapper by wrapper:")
    result = {w: told(w, [j for j in wanted if w in wanted[j][1]], wanted,
                      found) for w in wrappers}
    others = told("kernels of tests/simt", [j for j in wanted
                                            if not wanted[j][1]], wanted, found)
    text = b"".join(path.read_bytes() for path in sorted(PTX.glob("*.cuh")))
    path = Path(words[1]) / "agree.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({
        "schema_version": 1, "there": name, "here": "CPU executor",
        "driver": driver, "date": time.strftime("%FT%TZ", time.gmtime()),
        "ptx_sha256": hashlib.sha256(text).hexdigest(), "wrappers": result,
        "kernels": others}, indent=1) + "\n")
    every = [others, *result.values()]
    if not any(r["runs"] for r in every):
        return 3
    return 1 if any(r["different"] for r in every) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
