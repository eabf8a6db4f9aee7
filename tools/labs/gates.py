"""Whether the outputs of a reader's kernel are right."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest

from command import output, said, text_of
from programs import ONE_CORE, SECONDS, first_finding, lines_of


def gate_words(case):
    """Why the gates refuse one case."""
    if case.get("why"):
        return case["why"]
    gates, words = {**case["gates"], "lse": case.get("lse", {})}, []
    # Figures of outputs that are no numbers say nothing more.
    if gates.get("finite", {}).get("verdict") == "failed":
        words.append(f"{gates['finite']['figure']:.0f} outputs are infinite or "
                     "no number" + (", or are numbers where NaN is right" if
                                    "nan-" in case["distribution"] else ""))
        gates = {}
    for name in ("max_abs_err", "mean_abs_err", "pct_bad", "rel_rms",
                 "signed_mean", "lse"):
        gate = gates.get(name, {})
        if gate.get("verdict") == "failed":
            words.append(f"{name} is no number" if gate["figure"] is None else
                         f"{name} {gate['figure']:.3g}, at most "
                         f"{gate['limit']:.3g}" +
                         " of what scores lose" * (name == "lse"))
    if "where" in case:
        if not words:
            words.append("a number is farther off than rounding can move it")
        words.append(case["where"])
    return "; ".join(words)


def run_gates(grade, scratch, cases, arm):
    """How the reader's program ended, what it said, and what the judge says of
    each case, with the order of warps and blocks that it ran in."""
    lab, files = grade.lab, f"{scratch}/gates-{cases[0].replace('/', '-')}"
    inputs, outputs, result, log = (
        f"{files}.{what}" for what in ("in", "out", "json", "log"))
    output(*ONE_CORE, grade.kind.draw, inputs, *cases)
    ended = grade.run(log, SECONDS, f"build/cpu/{lab.name}/{arm}/attempt",
                      inputs, outputs)
    _, says = said([*ONE_CORE, f"build/cpu/{lab.stage}/default/judge", outputs,
                    result, *["alone"] * grade.kind.ranks, *cases])
    text, lines = text_of(result), lines_of(log)
    assert text is not None, says
    orders = [int(line[6:]) for line in lines if line.startswith("Order ")]
    each = [{**case, "order": order} for case, order in zip_longest(
        json.loads(text)["each"], orders)]
    return ended, lines, each


def judge_gates(grade, scratch, name, cases, arm="default"):
    lab = grade.lab
    count = 1 if grade.kind.ranks else min(2, len(cases))
    with ThreadPoolExecutor(2) as pool:
        parts = list(pool.map(lambda its: run_gates(grade, scratch, its, arm),
                              [cases[i::count] for i in range(count)]))
    ended = next((its for its, *_ in parts if not its.fine()), parts[0][0])
    log = sum((lines for _, lines, _ in parts), [])
    each = [case for cases in zip_longest(*(its for *_, its in parts))
            for case in cases if case]
    for kernel, *its in re.findall(r"(?m)^Launched 0x(\w+) (\d+) (\d+) (\d+)$",
                                   "\n".join(log)):
        grade.launched[int(kernel, 16)] = [max(both) for both in zip(
            map(int, its), grade.launched.get(int(kernel, 16), (0, 0, 0)))]
    failed = [case for case in each if not case["passed"]]
    gates = grade.json[name] = {
        "all_passed": not failed, "cases": len(each), "failed": len(failed),
        "each": each}
    words = f"{len(each) - len(failed)} of {len(each)} inputs pass"
    first = failed[0] if failed else None
    if first:
        order = ["", ", warps and blocks backward",
                 ", warps and blocks in a random order"][first["order"] or 0]
        words += (f"; the first that fails, {first['name']}, "
                  f"{first['distribution']}, seed {first['seed']}{order}: "
                  f"{gate_words(first)}")
    found = first_finding(log)
    if found or not ended.fine():
        words = f"{found or ended.sentence()}; {words}"
    verb = re.sub("^(gates|toggle)", "check", name)
    look = f"make {lab.name} {verb}"
    # Of long sums `check` says how far they drift, at its own shape.
    if first and first["distribution"] != "offset-values":
        look += f" SHAPES={first['name']} SEEDS={first['seed']}"
        if "multiprocessors" in first and not grade.kind.ranks:
            look += f" MULTIPROCESSORS={first['multiprocessors']}"
    if words.startswith("launch: "):  # of which check knows nothing
        look = f"make {lab.name} grade SEEDS={grade.seed}"
    grade.add(name, ended.fine() and gates["all_passed"], words, look)
    return ended.how == "code" and "livelock: " not in words
