#!/usr/bin/env python3
"""The stages beside PyTorch's attention:
  start.py run FOLDER COMMIT STAGE/ARM... [-- SHAPE...]   on a GPU
  start.py show [FOLDER [sweep|sweep2|real]]   the newest that is recorded
The Python that runs peers.py is the one that setup made (`sh
tools/setup/setup.sh peers`), else python3."""

import glob
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import end, python_of_peers, stop, verb_of
from recorded import newest

PEERS = [python_of_peers(), "tools/peers/peers.py"]


def show(folder="", its=""):
    kind, what = "peers", "run of it"
    if re.match("sweep([1-9]|$)", its):
        kind = what = its
    elif its == "real":
        kind, what = its, "run on real tensors"
    found = newest(f"{kind}.json", folder)
    if not found:
        stop(3, f"peers needs a GPU, and no {what} is recorded.")
    print(f"No GPU was used: this is the newest recorded run, {found[0]}.")
    return subprocess.call([*PEERS, "show", found[0]])


def run(folder, commit, *words):
    if subprocess.call([*PEERS, "have"]):
        stop(3, "peers needs PyTorch for CUDA: 'sh tools/setup/setup.sh peers' "
             "installs it.")
    # What 'make floor' measured, here, or the newest first.
    os.environ["FLOORS"] = " ".join([*newest("floor.json", folder)[:1],
                                     *newest("floor.json")])
    ends = words.index("--") if "--" in words else len(words)
    return subprocess.call([
        *PEERS, "run", folder, commit,
        *(f"build/gpu/{arm}/kernel.so" for arm in words[:ends]),
        *words[ends:]])


if __name__ == "__main__":
    # FlashAttention-3, where setup has put it.
    os.environ["PYTHONPATH"] = ":".join(filter(None, [
        *glob.glob(".deps/fa3-fwd-*"), os.environ.get("PYTHONPATH")]))
    end(verb_of, __doc__, {"show": show, "run": run}, sys.argv[1:])
