"""Nobody is timed who computes something else."""

import math

import torch

from contender import why


def relative(difference, reference):
    return (difference.square().mean()
            / reference.square().mean()).sqrt().item()


def errors_of_heads(contender, reference):
    """That of each head of the first batch, over the head's own numbers."""
    out = contender.problem.judged(contender.output().double())
    return [relative(out[0, head] - reference[0, head], reference[0, head])
            for head in range(reference.shape[1])]


def error(contender, reference):
    """Relative root mean square; NaN where anything is not a number."""
    out, wanted = contender.output(), contender.problem.shape.of_q
    if tuple(out.shape) != tuple(wanted):
        raise ValueError(f"its output is {list(out.shape)}, and not "
                         f"{list(wanted)}")
    out = out.double()
    if not torch.isfinite(out).all().item():
        return math.nan
    return relative(contender.problem.judged(out) - reference, reference)


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
