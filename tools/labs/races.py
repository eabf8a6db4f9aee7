"""What the race check finds in a reader's kernel."""

import re
from concurrent.futures import ThreadPoolExecutor

from command import text_of, write
from programs import SECONDS, complaint, first_finding, lines_of

ORDERS = "forward", "backward", "2", "3"  # of warps and blocks, as race tries


def wrong_without_race(log):
    """Of ranks, whose race check judges outputs as well: where they are wrong
    with no race; None elsewhere."""
    messages = ""
    for line in lines_of(log):
        if its := re.match(r"\S+ on \d+ ranks: (messages .+)", line):
            messages = its[1]
        if its := re.fullmatch("(.+): 0 findings, and a gate failed", line):
            return f"no race, but a gate failed at {its[1]}, {messages}"
    return None


def run_races(grade, log, arm, shapes, drawn):
    """A process for each shape, two at once, whose words are put together: the
    drawn ones in one order of warps and blocks, which is drawn too, the others
    in all. Returns how the first that failed has ended, and what it said."""
    jobs = [["--shape", shape] for shape in shapes]
    if grade.kind.ranks:  # which take long to start
        jobs = [sum(jobs, [])]
    first = grade.draw(len(ORDERS))
    jobs += [["--shape", shape, "--order", ORDERS[(first + i) % len(ORDERS)]]
             for i, shape in enumerate(drawn)]

    endless = []  # one is enough: the next would take as long

    def race(job):
        if endless:
            return endless[0]
        ended = grade.run(
            f"{log}.{job}", SECONDS * (4 if grade.kind.ranks else 1),
            f"build/instrumented/{grade.lab.name}/{arm}/program", "race",
            "--seeds", grade.seed, *grade.kind.race, *jobs[job])
        if ended.how == "time":
            endless.append(ended)
        return ended
    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(race, range(len(jobs))))
    write(log, "".join(text_of(f"{log}.{i}") or "" for i in range(len(jobs))))
    first = next((i for i, its in enumerate(ended) if not its.fine()), 0)
    return ended[first], f"{log}.{first}"


def judge_races(grade, scratch, name, shapes, drawn=(), arm="default"):
    lab, kind, log = grade.lab, grade.kind, f"{scratch}/race"
    setting = name.partition(" ")[2]  # of a toggle, or of RANKS
    ended, its_log = run_races(grade, log, arm, shapes, drawn)
    text, shapes = text_of(log), [*shapes, *drawn]
    first = next((shape for shape in shapes if f"{shape}{kind.clean}0 findings"
                  "\n" not in text), None)
    fine = ended.fine() and not first
    found, verb = first_finding(lines_of(log)), "race"
    if not found and not fine:
        wrong = ended.how == "code" and wrong_without_race(log)
        found = wrong or (complaint(its_log, lab.name) if ended.how == "code"
                          else ended.sentence())
        # What the gates have found already, `check` shows better.
        if wrong and not grade.json["gates"]["all_passed"]:
            verb = "check"
    where = (" ".join(shapes) if len(shapes) < 6
             else f"{len(shapes)} further shapes")
    order = first and re.search(
        rf"(?m)^{re.escape(first)}: .*again: (ORDER=\w+)", text)
    grade.add(name, fine, f"no findings at {where}" if fine else found,
              f"make {lab.name} {verb}{setting and ' ' + setting}"
              + (f" SHAPES={first} SEEDS={grade.seed}" if first else "")
              + (f" {order[1]}" if order else ""))
    # Where a block has been stopped, counters are of what ran before.
    return ended.how == "code" and not (
        re.match("outside|misaligned|deadlock|livelock", found) or
        any("The kernel failed" in its.get("why", "")
            for its in grade.json["gates"]["each"]))
