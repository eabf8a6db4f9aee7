"""How far each stage is at one shape: the ceiling's time, and that of the
fastest library, in percent of the time that the stage takes. As the book has it
(book/lib/data/shares.lua)."""

import re

# What the libraries are called where people read.
NAMES = {"torch_math": "PyTorch math", "torch_flash": "PyTorch flash",
         "torch_efficient": "PyTorch memory-efficient",
         "torch_cudnn": "PyTorch cuDNN", "cudnn_fp16": "cuDNN fp16",
         "flash_attention_3": "FlashAttention-3", "cudnn_fp8": "cuDNN FP8"}


def time_of(contender):
    """The median of one that was timed, in a graph or by itself; or None."""
    its = contender if isinstance(contender, dict) else {}
    method = its.get("graph") or its.get("event")
    time = method.get("p50_us") if isinstance(method, dict) else None
    return time if isinstance(time, (int, float)) else None


def best_of(*runs):
    """The fastest of those that are not ours: its time and its name."""
    return min(((time_of(its), name) for run in runs
                for name, its in run.items()
                if not re.match(r"stage\d|libfp8attention$", name)
                and time_of(its)), default=None)


def shares(contenders, ceiling_us, stages, others):
    """contenders: as make peers records them for a shape; ceiling_us: the time
    at the ceiling there; others: contenders of another run, of which the best
    library may be one. The rows of stages that were timed, and the library's;
    or None and a reason."""
    best = best_of(contenders, others)
    if not best:
        return None, "no library was timed"
    rows = [{"name": name, "ceiling": 100 * ceiling_us / time,
             "library": 100 * best[0] / time}
            for name in stages if (time := time_of(contenders.get(name)))]
    if not rows:
        return None, "no stage was timed"
    return rows, {"name": NAMES.get(best[1], best[1]),
                  "ceiling": 100 * ceiling_us / best[0]}
