#!/usr/bin/env python3
"""What stage18_ring does when one of its ranks fails while it computes:
  faults.py gpu|cpu RANKS [FILE [FAULT...]]
A fault is killed, killed-first, stopped or shape (all). Each rank that can
still speak must end with one sentence that names the cause, all within 30
seconds. A line for each fault is printed, and goes to FILE; all that the ranks
said, where it was not that. Exit code 1: somebody hung or said something else;
2: usage; 3: this machine cannot."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import end, stop, text_of, write

LAUNCH = "further/stage18_ring/launch.py"
LONGEST, GIVE_UP, TO_BEGIN = 30, 60, 90  # seconds
# A run that goes on for long, what it says before it computes, and the seconds
# from there until it surely does.
RUNS = {
    "gpu": (["bench", "--exchange", "ring", "--iters", "100000", "--shape",
             "1,8,131072,128"], "the link by NCCL", 5),
    "cpu": (["check", "--shape", "1,4,3000,128"], "", 2),
}
# Which rank it befalls, counted from the end where it is below zero, and what
# the others must say.
FAULTS = {
    "killed": (-1, signal.SIGKILL, "rank {} has died"),
    "killed-first": (0, signal.SIGKILL, "rank {} has died"),
    "stopped": (-1, signal.SIGSTOP, "rank {} is silent"),
    "shape": (-1, None, "Rank {} has the command"),
}
MARK = "RING_FAULTS"  # by which our ranks are known


def process_of(rank, mark):
    """The process of a rank that is watched, or None."""
    wanted = {f"OMPI_COMM_WORLD_RANK={rank}", f"{MARK}={mark}"}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", encoding="utf-8",
                      errors="replace") as file:
                if not wanted <= set(file.read().split("\0")):
                    continue
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/comm",
                          encoding="utf-8") as file:
                    if file.read().strip() == "watchdog":
                        return int(pid)
        except OSError:
            continue  # it has ended, or is another user's
    return None


def wait_for(found, seconds, running):
    end = time.monotonic() + seconds
    while time.monotonic() < end and running():
        value = found()
        if value:
            return value
        time.sleep(0.1)
    return None


def words_of(target, ranks, fault):
    program, words = f"build/{target}/stage18_ring/program", RUNS[target][0]
    if fault != "shape":
        return [LAUNCH, str(ranks), program, *words]
    return [LAUNCH, str(ranks - 1), program, *words, ":", "-n", "1", program,
            *words[:-1], words[-1] + ",causal"]


def befall(target, ranks, fault, output):
    """Runs it, and lets the fault happen. Returns the seconds until all have
    ended, or a sentence."""
    rank, sent, _ = FAULTS[fault]
    _, says, later = RUNS[target]
    mark = f"{os.getpid()}-{fault}"
    ran = subprocess.Popen(words_of(target, ranks, fault), stdout=output,
                           stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                           env={**os.environ, MARK: mark},
                           start_new_session=True)
    begun = time.monotonic()
    try:
        if sent:
            if not wait_for(lambda: says in text_of(output.name) and
                            process_of(rank % ranks, mark), TO_BEGIN,
                            lambda: ran.poll() is None):
                return "the ranks did not begin"
            time.sleep(later)
            begun = time.monotonic()
            os.kill(process_of(rank % ranks, mark), sent)
        ran.wait(GIVE_UP)
        return time.monotonic() - begun
    except (OSError, TypeError):
        return "the rank had ended before"
    except subprocess.TimeoutExpired:
        return f"still running after {GIVE_UP} s"
    finally:
        try:
            os.killpg(ran.pid, signal.SIGKILL)
        except OSError:
            pass
        ran.wait()


def verdict(target, ranks, fault):
    """(whether it went well, a line)"""
    rank, sent, cause = FAULTS[fault]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as output:
        took = befall(target, ranks, fault, output)
        text = text_of(output.name)
    cause = cause.format(rank % ranks)
    victim = rank % ranks if sent else None  # who cannot speak
    found = [(int(r), words) for r, words in
             re.findall(r"stage18_ring, rank (\d+): (.*)", text)
             if int(r) != victim]
    others = [r for r in range(ranks) if r != victim]
    well = (isinstance(took, float) and took <= LONGEST and
            sorted(r for r, _ in found) == others and
            all(cause in words for _, words in found))
    if isinstance(took, float):
        took = f"all had ended after {took:.1f} s"
    line = (f"{fault}, {ranks} ranks on {target.upper()}: {took}; "
            f"{len(found)} of {len(others)} spoke: "
            + "; ".join(sorted({words for _, words in found})))
    return well, line if well else f"FAILED {line}\n{text.rstrip()}"


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in RUNS:
        stop(2, __doc__)
    target, ranks, *rest = sys.argv[1:]
    if not re.fullmatch(r"[1-9]\d?", ranks) or ranks == "1":
        stop(2, f"RANKS is 2 to 99 here, not '{ranks}'.")
    path, faults = rest[0] if rest else "", rest[1:] or list(FAULTS)
    for fault in faults:
        if fault not in FAULTS:
            stop(2, f"There is no fault '{fault}'; there are "
                    f"{', '.join(FAULTS)}.")
    program = f"build/{target}/stage18_ring/program"
    if not os.path.exists(program):
        stop(3, f"{program} is missing: 'make stage18 TARGET={target}' builds "
                "it.")
    lines, failed = [], 0
    for fault in faults:
        well, line = verdict(target, int(ranks), fault)
        failed += not well
        print(line, flush=True)
        lines.append(f"{line}\n")
        if path:
            write(path, "".join(lines))
    return 1 if failed else 0


if __name__ == "__main__":
    end(main)
