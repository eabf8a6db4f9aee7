#!/usr/bin/env python3
"""PyTorch's context parallel attention in bf16, the peer of stage18_ring:
  start.py RANKS FOLDER SHAPE...
It writes FOLDER/context_parallel.json; with '' it only prints."""

import os
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import commit, end, python_of_peers, stop


def main(*words):
    if len(words) < 3:
        stop(2, "usage: start.py RANKS FOLDER SHAPE...")
    ranks, folder, *shapes = words
    python = python_of_peers()
    if subprocess.call([python, "-c", "import torch.distributed"],
                       stderr=subprocess.DEVNULL):
        stop(3, "This needs PyTorch for CUDA: 'sh tools/setup/setup.sh peers' "
             "installs it.")
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    os.environ["OMP_NUM_THREADS"] = "4"
    return subprocess.call([
        "tools/make/alone.py", python, "-m", "torch.distributed.run",
        "--standalone", "--nproc-per-node", ranks,
        "tools/context_parallel/context_parallel.py",
        folder and f"{folder}/context_parallel.json", commit(), *shapes])


if __name__ == "__main__":
    end(main, *sys.argv[1:])
