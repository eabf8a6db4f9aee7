#!/usr/bin/env python3
"""Prints the courses of workshop/timetables.list as tables. The labs' minutes
are those of the labs, chapters' titles those of the chapters. Exit 1, with one
sentence, where a day has too little room."""

import glob
import os
import re
import sys

TOOLS = os.path.join(os.path.dirname(__file__), "..")
sys.path += [f"{TOOLS}/common", f"{TOOLS}/labs"]
import lab
from command import end, stop, text_of

LIST = "workshop/timetables.list"
LONGEST = 100  # minutes without a break
ENTRY = re.compile(
    r"(?P<spare>spare )?(?:lab (?P<lab>\w+)(?= \d+ \||$)|"
    r"(?P<kind>(?:start|break)(?= \d+ \|)|(?:talk|hunt)(?= \d+ \| ch-)))"
    r"(?: (?P<minutes>\d+) \| (?:(?P<chapter>ch-[\w-]+) \| )?(?P<words>.+))?")
HEAD = """\
# Timetables

`make timetables` writes this page from `timetables.list` and from the minutes
that each lab states. To change it, change these. The minutes of labs are
estimates: where a class needs more, what is marked *(spare)* falls, the last of
the day first. Nothing after it needs it."""


def refuse(number, sentence):
    stop(1, f"{LIST}:{number}: {sentence}")


def linked(number, name):
    """A chapter, by its id."""
    for path in sorted(glob.glob("chapters/*.md")):
        if its := re.search(rf"# (.*) \{{#{re.escape(name)}\}}", text_of(path)):
            return f"[{its[1]}](../{path})"
    return refuse(number, f"there is no chapter {name}.")


def entry(number, line):
    """A line's kind, minutes, words and chapter; of a lab a whole one, or so
    many minutes for a part of it."""
    its = ENTRY.fullmatch(line)
    if not its:
        refuse(number, f'"{line}" is no line of a day.')
    minutes, words, chapter = its["minutes"], its["words"], its["chapter"]
    if its["lab"]:
        if not lab.path_of(its["lab"]):
            refuse(number, f"There is no lab {its['lab']}.")
        of = lab.read(its["lab"])
        minutes, chapter = minutes or of.minutes, of.chapter
        words = f"**{of.name}**: {words or of.title}"
    return (its["kind"] or "lab", int(minutes),
            words + " *(spare)*" * bool(its["spare"]),
            linked(number, chapter) if chapter else "")


def courses():
    """Hours, title and days of each; of a day its minutes, its line in the list
    and its entries."""
    found = []
    for number, line in enumerate(text_of(LIST).splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if its := re.fullmatch(r"course (\d+) \| (.+)", line):
            found.append((int(its[1]), its[2], []))
        elif found and (its := re.fullmatch(r"day (\d+)", line)):
            found[-1][2].append((60 * int(its[1]), number, []))
        elif found and found[-1][2]:
            found[-1][2][-1][2].append(entry(number, line))
        else:
            refuse(number, 'a course begins with "course HOURS | TITLE" and '
                   '"day HOURS".')
    return found


def clock(minutes):
    return f"{minutes // 60}:{minutes % 60:02}"


def table_of(room, number, entries):
    lines = ["| from | minutes | what | chapter |", "|---:|---:|---|---|"]
    now = since = 0
    for kind, minutes, words, chapter in entries:
        lines.append(f"| {clock(now)} | {minutes} | {words} | {chapter} |")
        now += minutes
        since = 0 if kind == "break" else since + minutes
        if since > LONGEST:
            refuse(number, f"{since} minutes without a break, up to "
                   f"{clock(now)} of this day.")
    if now > room:
        refuse(number, f"this day takes {now} minutes, {now - room} more than "
               "it has: leave a lab or a talk out.")
    return "\n".join([*lines, f"| {clock(now)} | {room - now} | questions, and "
                      "what took longer | |", ""])


def text_of_course(hours, title, days):
    tables = [(f"Day {i}:\n\n" if len(days) > 1 else "") + table_of(*day)
              for i, day in enumerate(days, 1)]
    room = sum(day[0] for day in days)
    if room != 60 * hours:
        stop(1, f"{LIST}: the days of the course of {hours} hours have "
             f"{room // 60}.")
    labs = sum(minutes for _, _, entries in days
               for kind, minutes, *_ in entries if kind in ("lab", "hunt"))
    return (f"\n## {hours} hours: {title}\n\nThe class types for {labs} of "
            f"the {room} minutes.\n\n" + "\n".join(tables))


def main():
    print(HEAD)
    for course in courses():
        print(text_of_course(*course), end="")


end(main)
