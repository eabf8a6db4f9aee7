"""Nobody is timed who computes something else."""

import math

import torch

from contender import why


def error(contender, reference):
    """Relative root mean square; NaN where anything is not a number."""
    out, wanted = contender.output(), contender.problem.shape.of_q
    if tuple(out.shape) != tuple(wanted):
        raise ValueError(f"its output is {list(out.shape)}, and not "
                         f"{list(wanted)}")
    out = out.double()
    if not torch.isfinite(out).all().item():
        return math.nan
    difference = contender.problem.judged(out) - reference
    return (difference.square().mean()
            / reference.square().mean()).sqrt().item()


def absent(reason):
    return {"absent": "cannot: " + reason}


def gate(contender, reference):
    """Runs it once: a dictionary with its error, or why it cannot take part."""
    lacking = contender.unavailable() or contender.missing()
    if lacking:
        return absent(lacking)
    # What others' code raises is a reason to leave it out, and no more.
    try:
        contender.prepare()
        with contender.context():
            contender.launch()
        torch.cuda.synchronize()
        found = error(contender, reference)
    except Exception as reason:
        return absent(why(reason))
    if not found <= contender.largest_rel_rms:
        return {"rel_rms": None if found != found else found, "wrong": True,
                "absent": f"wrong: relative RMS error {found:.1e}"}
    return {"rel_rms": found}


def wrong_sentence(wrong):
    """What a run ends with where there are any, (who, at which shape)."""
    named = ", ".join(f"{who} at {name}" for who, name in wrong)
    return f"Wrong, and so not timed: {named}."
