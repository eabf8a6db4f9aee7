"""The page of a class, in HTML without a script. Names, words and numbers of
students' files are text and nothing else."""

import html
import re

HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Roster</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none';
style-src 'unsafe-inline'"><style>
body { font: 16px/1.4 sans-serif; margin: 2em; max-width: 70em; }
table { border-collapse: collapse; }
td, th { border: 1px solid #999; padding: .2em .5em; text-align: left;
  vertical-align: top; overflow-wrap: anywhere; }
</style></head><body>
<h1>Roster</h1>
"""


def clean(text):
    """Without control characters, which a terminal would obey."""
    return re.sub("[\0-\x1f\x7f\ud800-\udfff]", "?", str(text))


def escaped(text):
    return html.escape(clean(text))


def name_of(student):
    """A name that is written from right to left stays where it is."""
    return f"<bdi>{escaped(student.name)}</bdi>"


def row(cells, mark="td"):
    return "".join(["<tr>", *(f"<{mark}>{cell}</{mark}>" for cell in cells),
                    "</tr>\n"])


def table(heads, rows):
    return f"<table>\n{row(heads, 'th')}{''.join(map(row, rows))}</table>\n"


def machines(students):
    rows = []
    for student in students:
        its = student.machine
        rows.append([
            name_of(student), "ready" if its.ready else "not yet",
            "" if its.seconds is None else f"{its.seconds:.2f}",
            escaped(", ".join(its.can) + (f" ({its.gpu})" if its.gpu else "")),
            *("" if its.ready else escaped(text)
              for text in (its.why, its.type))])
    ready = sum(student.machine.ready for student in students)
    return (f"<h2>Machines</h2>\n<p>{ready} of {len(students)} are ready, by "
            "their own word. Seconds: the gates of stage 1 on the "
            "executor.</p>\n" + table(["student", "", "seconds", "can",
                                       "why not", "types"], rows))


def verdict(lab):
    words = {True: "passed", False: "not passed"}
    passed = bool(lab.grade.get("passed"))
    text = words[passed] if passed or lab.grade.get("attempt") else "not tried"
    return text if lab.claim in (None, passed) else (
        f"{text} (his own file says: {words[lab.claim]})")


def reasons(grade):
    why = [escaped(grade["why"])] if "why" in grade else []
    return "<br>".join(why + [
        f"<b>{escaped(line['demand'])}</b>: {escaped(line['says'])}"
        for line in grade.get("demands", []) if line["met"] is False])


def grades(students, seed):
    rows = [[name_of(student), escaped(lab.name), verdict(lab),
             "" if lab.grade.get("passed") else reasons(lab.grade)]
            for student in students for lab in student.labs]
    passed = sum(bool(lab.grade.get("passed"))
                 for student in students for lab in student.labs)
    return (f"<h2>Labs</h2>\n<p>{passed} of {len(rows)} kernels pass. All were "
            f"graded here, with inputs drawn with SEEDS={seed}.</p>\n" + table(
                ["student", "lab", "grade", "what is not met"], rows))


# ---- who is ahead: by time where a GPU has judged it, else by counters ----

def counted(grade):
    """The mean of the counters that a lab wants small, in parts of the
    book's."""
    parts = [its["here"] / its["book"]
             for its in grade.get("counters", {}).values()
             if its["sign"] == "<=" and its["book"] > 0]
    return sum(parts) / len(parts) if parts else None


def ranked(entries):
    """Whoever is behind the first of a rank by more than the noise of both
    begins the next rank."""
    first = None
    for number, (value, noise, *student) in enumerate(sorted(entries), 1):
        if not first or value - first[1] > max(noise, first[2]):
            first = number, value, noise
        yield first[0], value, noise, *student


def board(name, passed):
    """Of students and their grades."""
    by_time = all(grade.get("time") for _, grade in passed)
    entries = [(grade["time"]["here_us"], grade["time"]["noise_us"], who)
               if by_time else (counted(grade), 0, who)
               for who, grade in passed
               if by_time or counted(grade) is not None]
    if not entries:
        return ""
    rows = [[rank, who, f"{value:.2f} &#177; {noise:.2f}" if by_time
             else f"{100 * value:.1f}"]
            for rank, value, noise, who in ranked(entries)]
    return (f"<h3>{name}, by {'time' if by_time else 'counters'}</h3>\n"
            + table(["rank", "student", "microseconds a launch, and their noise"
                     if by_time else "counts, in percent of the book's kernel"],
                    rows))


def boards(students):
    passed = {}
    for student in students:
        for lab in student.labs:
            if lab.grade.get("passed"):
                passed.setdefault(lab.name, []).append(
                    (name_of(student), lab.grade))
    found = "".join(board(name, passed[name]) for name in sorted(passed))
    return found and (
        "<h2>Leaderboard</h2>\n<p>Of kernels that pass. Whom the noise or "
        f"equal counts do not part has the same rank.</p>\n{found}")


def page_of(students, seed):
    return (f"{HEAD}{machines(students)}{grades(students, seed)}"
            f"{boards(students)}</body></html>\n")
