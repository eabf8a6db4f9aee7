"""Whether the reader's one sentence names the mistake: its region first, and
then its line or its kind."""

import re

from facts import entries
from rules import TABLE

# Their names, how a hint calls them, and words that name one.
KINDS = {name: (hint, words.split(", "))
         for name, hint, words in entries(TABLE, "kinds", 3)}
LONGEST, FEWEST_WORDS = 300, 6
NEAR = 2        # lines beside the mistake
WIDEST = 10     # lines that may be named
KINDS_MOST = 2  # who names all kinds names none


def rules(path):
    """What the task says of it."""
    kinds = "\n".join(f"  {name:<11} {hint}"
                      for name, (hint, _) in KINDS.items())
    return f"""\
Then write one sentence on what was wrong into {path}.
It begins with "In REGION": the innermost region of the mistake, as its mark has
it; where a statement is missing between two regions, either. And it names the
line in the file that was laid out, as in "line 214" or "lines 210 to 216",
{WIDEST} lines at most; or it says of what kind the mistake is, with one of these
words, two at most:
{kinds}
"""


def judge(text, hunt):
    """Whether it names the mistake, and a sentence on that, which betrays no
    more than the first hint."""
    text = " ".join(text.split())
    if not text:
        return False, "nothing is written there yet"
    if (len(text) > LONGEST or len(text.split()) < FEWEST_WORDS
            or re.search("[.!?] ", text)):
        return False, (f"one sentence of {FEWEST_WORDS} words or more, "
                       f"{LONGEST} characters at most")
    its = re.match("[Ii]n ([a-z0-9-]+)(.*)$", text)
    if not its:
        return False, 'it does not begin with "In REGION"'
    region, rest = its.groups()
    lines = re.search(r"lines? (\d+)(?:\s*(?:[-–]|to)+\s*(\d+))?", rest)
    first = int(lines[1]) if lines else 0
    last = int(lines[2] or first) if lines else 0
    kinds = [name for name, (_, words) in KINDS.items() if any(
        re.search("[^a-z]" + re.escape(word), f" {rest.lower()}")
        for word in words)]
    if last < first or last - first >= WIDEST:
        return False, f"it names more than {WIDEST} lines"
    if not lines and not kinds:
        return False, "it names neither a line nor a kind of mistake"
    if len(kinds) > KINDS_MOST:
        return False, f"it names {len(kinds)} kinds of mistakes"
    near = lines and first - NEAR <= hunt.line <= last + NEAR
    what = "line" if near else "kind" if hunt.kind in kinds else ""
    if what and region in hunt.beside:
        return True, "it names the mistake"
    if what:
        return False, (f"the {what} fits, the region is another: 'make bughunt "
                       "hint' names it")
    return False, ("the region fits, neither line nor kind does"
                   if region in hunt.beside else "it does not name this mistake")
