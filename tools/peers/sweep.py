"""Many shapes, so briefly measured that all take some six minutes on an H200,
by this estimate: a second or two of rounds at each, and about four until each
contender has its plan, has run once and is judged. SECONDS is shared out among
the shapes that are left, so that slow judging is paid for with rounds.

Some rows are judged (problem.py), V lies around 0, and only graphs are timed.
Who takes much longer than the fastest of its side in a first look, stages or
peers, is timed no further: it cannot be the best."""

import gc
import sys
import time

import torch

from clock import beside_a_twin, look, measure_briefly
from contender import why
from judge import absent, gate
from ours import Stage, everyone_at, ours_of
from problem import Problem, drawn

SECONDS, MOST_A_SHAPE, LEAST_A_SHAPE = 420.0, 2.0, 0.2
FAR_BEHIND = 2.0
TOLERANCE_PERCENT = 3.0


def enter(contender, reference):
    """Its entry: an error and a first look, or why it takes no part."""
    entry = gate(contender, reference)
    if "absent" in entry:
        return entry
    try:
        return entry | {"look_us": look(contender)}
    except Exception as reason:
        return entry | absent("in a graph: " + why(reason))


def leave_behind(able, entries):
    """Those worth more rounds; the others' entries say why they are not."""
    ours, stay = ours_of(able), []
    for contender in able:
        mine = isinstance(contender, Stage)
        fastest = min(entries[c.name]["look_us"] for c in able
                      if isinstance(c, Stage) == mine)
        entry = entries[contender.name]
        if contender is ours or entry["look_us"] <= FAR_BEHIND * fastest:
            stay.append(contender)
        else:
            entry["absent"] = (
                f"slow: {entry['look_us']:.0f} us in a first look, where "
                f"another takes {fastest:.0f}")
            contender.out = None  # memory
    return stay


def verdict(entries, ours, peers, noise_us):
    """Ours against the best peer; nothing where one of them is not there."""
    if not ours or not peers:
        return {}
    times = {c.name: entries[c.name]["graph"]["p50_us"] for c in [ours, *peers]}
    best = min((c.name for c in peers), key=times.get)
    behind = times[ours.name] - times[best]
    return {"ours": ours.name, "ours_us": times[ours.name],
            "best": best, "best_us": times[best],
            "ratio": times[ours.name] / times[best],
            "within": behind <= (TOLERANCE_PERCENT / 100 * times[best]
                                 + noise_us)}


def one_shape(libraries, classes, shape, seconds):
    """What the record says of a shape, but for the shape itself."""
    torch.cuda.empty_cache()
    problem = Problem(shape, drawn(shape))
    problem.sample()
    reference = problem.reference()
    everyone = everyone_at(problem, libraries, classes)
    entries = {c.name: enter(c, reference) for c in everyone}
    found = {"rows_judged": reference.shape[0] * reference.shape[1]
             * reference.shape[2], "contenders": entries}
    able = [c for c in everyone if "absent" not in entries[c.name]]
    if not able:
        return found | absent("nobody takes it")
    able = leave_behind(able, entries)
    ours = ours_of(able)

    def measured(contenders):
        looks = [entries[getattr(c, "contender", c).name]["look_us"]
                 for c in contenders]
        times, found["rounds"] = measure_briefly(contenders, looks, seconds)
        return times
    found |= beside_a_twin(able, ours, shape, entries, measured)
    peers = [c for c in able if not isinstance(c, Stage)]
    return found | verdict(entries, ours, peers, found["noise_us"])


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
            record = one_shape(libraries, classes, shape, seconds)
        except Exception as reason:
            record = absent(why(reason))
        records[name] = shape.record | record
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

