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


def lab_entry(rest, number, seen):
    """A whole lab, or so many minutes for a part of it."""
    line = re.fullmatch(r"(\w+)(?: (\d+) \| (.+))?", rest)
    if not line or not lab.path_of(line[1]):
        refuse(number, f"There is no lab {rest}.")
    its = lab.read(line[1])
    if its.name in seen:
        refuse(number, f"{its.name} is in this course twice.")
    seen.add(its.name)
    return ("lab", int(line[2] or its.minutes),
            f"**{its.name}**: {line[3] or its.title}",
            linked(number, its.chapter))


def entry(kind, rest, number, seen):
    """A line's kind, minutes, words and chapter. `seen`: the labs of this
    course."""
    if kind == "spare":
        kind, minutes, words, chapter = entry(*rest.split(" ", 1), number, seen)
        return kind, minutes, f"{words} *(spare)*", chapter
    if kind == "lab":
        return lab_entry(rest, number, seen)
    line = re.fullmatch(r"(\d+) \| (.+)", rest)
    if not line:
        refuse(number, f'"{kind} MINUTES | WORDS" it is.')
    chapter, words = "", line[2]
    if kind in ("talk", "hunt"):
        name, bar, words = words.partition(" | ")
        if not bar:
            refuse(number, f"a {kind} names its chapter.")
        chapter = linked(number, name)
    elif kind not in ("start", "break"):
        refuse(number, f'there is no line that begins with "{kind}".')
    return kind, int(line[1]), words, chapter


def courses():
    """Hours, title and days of each; of a day its minutes, its line in the list
    and its entries."""
    found, seen = [], set()
    for number, line in enumerate(text_of(LIST).splitlines(), 1):
        its = re.fullmatch("([a-z]+) (.+)", line)
        kind, rest = its.groups() if its else ("", "")
        days = found[-1][2] if found else None
        if kind == "course":
            course = re.fullmatch(r"(\d+) \| (.+)", rest)
            if not course:
                refuse(number, '"course HOURS | TITLE" it is.')
            found.append((int(course[1]), course[2], []))
            seen = set()
        elif kind == "day" and found and rest.isdigit():
            days.append((60 * int(rest), number, []))
        elif kind and days:
            days[-1][2].append(entry(kind, rest, number, seen))
        elif line and not line.startswith("#"):
            refuse(number, 'a course begins with "course" and a "day".')
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
