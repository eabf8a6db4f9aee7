"""Many shapes, so briefly measured that all take some six minutes on an H200,
by this estimate: a second or two of rounds at each, and about four until each
contender has its plan, has run once and is judged. SECONDS is shared out among
the shapes that are left, so that slow judging is paid for with rounds.

measure.py says what is measured otherwise there."""

import gc
import sys
import time

import torch

from contender import why
from judge import absent
from measure import TOLERANCE_PERCENT, one_shape

SECONDS, MOST_A_SHAPE, LEAST_A_SHAPE = 420.0, 2.0, 0.2


def sweep(libraries, classes, shapes):
    """The record of all shapes, in their order, and why it ends early: a
    sentence, or None."""
    # Each capture collects garbage: what is there now need not be looked at.
    gc.freeze()
    start, records, end = time.monotonic(), {}, None
    for index, (name, shape) in enumerate(shapes.items()):
        print(f"measuring {name}, {index + 1} of {len(shapes)} ...",
              file=sys.stderr)
        left = SECONDS - (time.monotonic() - start)
        seconds = left / (len(shapes) - index) / 2
        seconds = min(max(seconds, LEAST_A_SHAPE), MOST_A_SHAPE)
        try:
            records[name] = one_shape(libraries, classes, shape, seconds)
        except Exception as reason:
            records[name] = shape.record | absent(why(reason))
        end = dead(name)
        if end:
            break
    return {"tolerance_percent": TOLERANCE_PERCENT,
            "seconds": round(time.monotonic() - start, 1),
            "shapes": records}, end


def dead(name):
    """A kernel that has gone astray takes the GPU from all behind it."""
    try:
        torch.cuda.synchronize()
    except Exception as reason:
        return f"The GPU stopped at {name}: {why(reason)}."
    return None

