"""What a record says of a shape. In a sweep, which has so many seconds for it,
some rows are judged (problem.py), V lies around 0, only graphs are timed, and
who takes much longer than the fastest of its side in a first look, stages or
peers, is timed no further: it cannot be the best."""

import torch

from clock import Power, look, measure
from contender import Twin, why
from judge import absent, gate
from ours import Stage, everyone_at, ours_of
from problem import Problem, drawn
from recorded import noise, samples_of

FAR_BEHIND = 2.0
TOLERANCE_PERCENT = 3.0
OFFSET = 4.0


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


def errors_with_offset(libraries, classes, shape):
    """By name, where V's numbers lie around 4: long sums of them are not near
    zero. An error here keeps nobody from taking part."""
    problem = Problem(shape, drawn(shape, v_mean=OFFSET))
    reference = problem.reference()
    found = {c.name: gate(c, reference)
             for c in everyone_at(problem, libraries, classes)}
    return {name: its["rel_rms"] for name, its in found.items()
            if "rel_rms" in its}


def one_shape(libraries, classes, shape, seconds=None):
    torch.cuda.empty_cache()
    offset = {} if seconds else errors_with_offset(libraries, classes, shape)
    problem = Problem(shape, drawn(shape))
    if seconds:
        problem.sample()
    reference = problem.reference()
    everyone = everyone_at(problem, libraries, classes)
    entries = {c.name: enter(c, reference) for c in everyone}
    found = shape.record | {"contenders": entries}
    able = [c for c in everyone if "absent" not in entries[c.name]]
    if not able:
        return found | absent("nobody takes it")
    if seconds:
        found["rows_judged"] = (reference.shape[0] * reference.shape[1]
                                * reference.shape[2])
        able = leave_behind(able, entries)
    ours = ours_of(able)
    # The one that is compared is timed once more.
    twin = Twin(ours or able[-1])
    looks = [entries[c.name]["look_us"] for c in [*able, twin.contender]]
    with Power() as power:
        times, count = measure([*able, twin], looks, seconds)
    for contender, its in zip(able, times):
        entries[contender.name] |= its | {
            "tflops": shape.flop / its["graph"]["p50_us"] * 1e-6}
    found |= {"twin_of": twin.contender.name, "clocks": power.figures(),
              "noise_us": noise(*(samples_of(its["graph"]) for its in (
                  times[able.index(twin.contender)], times[-1])))}
    if seconds:
        peers = [c for c in able if not isinstance(c, Stage)]
        return found | {"rounds": count} | verdict(entries, ours, peers,
                                                   found["noise_us"])
    for name, its in entries.items():
        its.pop("look_us", None)
        if name in offset:
            its["rel_rms_offset"] = offset[name]
    return found
