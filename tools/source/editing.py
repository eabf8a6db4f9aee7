"""The source of a kernel as text with regions and statements: for programs that
find a place in it, change it there, and write the rest as it was. `//> NAME`
alone in a line opens a region, `//< NAME` closes it."""

import itertools
import re
from typing import NamedTuple

from command import Refusal

COMMENT = r"//[^\n]* | /\*(?s:.*?)(?:\*/|\Z)"
TOKEN = re.compile(rf"""(?P<comment> {COMMENT} )
  | (?P<string> "(?:\\[\s\S]|[^"\\\n])*"? | '(?:\\[\s\S]|[^'\\\n])*'? )
  | (?P<number> \.?\d(?:(?<=[eEpP])[+-]|'(?=\w)|[\w.])* )
  | (?P<word> \w+ )
  | (?P<sign> <<=|>>=|->\*|\.\.\.|<<|>>|<=|>=|==|!=|&&|\|\||->|::|\+\+|--
            |[-+*/%&|^]=|\#\#|. )""", re.VERBOSE | re.ASCII)
BLANK = re.compile(r"(?:\\\n|[ \t\n\v\f\r])*")
BLANKS = re.compile(r"[ \t]*")
COMMENTS = re.compile(rf"(?: [ \t]*(?:{COMMENT}) )*", re.VERBOSE)
LEAD = re.compile(r"(?m)(?:^[ \t]*(?:#pragma |// ).*\n)*\Z")
REGION = re.compile(r"(?m)^//([<>]) (\S*).*(?:\n|\Z)")
PLACE = re.compile(
    r"(?s)([^: ]+)(?:: *(last |\d+(?:st|nd|rd|th) )?(.*))?")

# Of a statement's code, in which a blank stands before and behind each token:
# one token, or a bracket with all that is in it; and a template's arguments.
UNIT = r" [^()[\]{} ]\S*"
for _ in range(8):
    UNIT = rf"(?: [^()[\]{{}} ]\S*| [([{{](?:{UNIT})* [)\]}}])"
ANGLES = r" <(?: (?![>;] )\S+)* >"
HEADS = re.compile(r"(?: (?:else|do)(?= )| (?:if|for|while|switch)"
                   rf"(?: constexpr)? \((?:{UNIT})* \))*")
# What comes before a brace that opens a block.
OPENING = re.compile(r"""^$ | \ (?:[)\]:]|else|do|const|noexcept|try|enum|
  mutable)$ | ^\ extern\ ".*"$ | \)\ ->\ [^)=]*$ | ^(?:\ template\ <
  (?:[^<>]|<[^<>]*>)*>)?[^=(]*\ (?:struct|class|union|enum|namespace)\b[^=(]*$
  """, re.VERBOSE)
PLAIN, HEAD, DIRECTIVE = "plain", "head", "directive"

NO_EDIT = ("'{}' is no edit: there are remove, empty, double, up, down, before "
           "CODE, after CODE, write CODE and CODE => CODE.")


class Misfit(Refusal):
    """What does not fit, in a sentence."""


class Token(NamedTuple):
    kind: str  # comment, string, number, word or sign
    text: str
    begin: int
    end: int
    directive: int  # where the # is with which its line begins, or None


class Statement:
    """Plain: up to its semicolon, with an if or for before it. Head: up to the
    brace that opens a block, whose own statements are listed apart. Directive:
    a line that begins with #."""

    def __init__(self, kind, tokens):
        self.kind, self.begin, self.end = kind, tokens[0].begin, tokens[-1].end
        self.tokens = [t for t in tokens if t.kind != "comment" and (
            kind == DIRECTIVE or t.directive is None)]
        self.code = code_of(self.tokens)
        # The first token behind `if (...)`, `for (...)`, `else`.
        self.core = 0 if kind == DIRECTIVE else min(
            HEADS.match(self.code)[0].count(" "), len(self.tokens) - 1)
        self.bare = code_of(self.tokens[self.core:])

    def calls(self, names):
        """Whether it calls a function of these names: NAME(, or NAME<...>(."""
        return re.search(rf" {any_of(names)}(?:{ANGLES})? \( ", self.code)

    def span(self, its, group):
        """Where in the source the tokens are that a pattern has found, with the
        blank before them or without."""
        first, last = its.span(group)
        first, last = (self.tokens[its.string.count(" ", 0, at) - 1]
                       for at in (first + 1, last))
        return first.begin, last.end


class Region(NamedTuple):
    name: str
    begin: int  # of the lines from marker to marker
    end: int
    inside: int  # of the lines between them
    inside_end: int


def tokens_of(text):
    tokens, at, directive, line_begins = [], 0, None, True
    while True:
        blank = BLANK.match(text, at)
        if "\n" in blank[0].replace("\\\n", ""):
            directive, line_begins = None, True
        at = blank.end()
        its = TOKEN.match(text, at)
        if not its:
            return tokens
        if its[0][0] == "#" and line_begins:
            directive = at
        tokens.append(Token(its.lastgroup, its[0], at, its.end(), directive))
        at, line_begins = its.end(), False


def code_of(tokens):
    return "".join([" " + re.sub(r"\s", "\0", t.text) for t in tokens]) + " "


def any_of(names):
    """A pattern of names, in which a * stands for any letters."""
    return f"(?:{'|'.join(names.split())})".replace("*", r"\S*")


def statements_of(tokens):
    """In order. Braces need not be balanced: #if may open a block that another
    one closes."""
    found, opened = [], []  # ( [ { of an initialiser, b of a block
    first = None  # of the statement under way
    rest = False  # what follows a block inside a statement is none
    code, at = [], 0

    def finish(kind):
        nonlocal first, rest
        if first is not None and not rest:
            found.append(Statement(kind, tokens[first:at + 1]))
        first, rest = None, False

    for at, token in enumerate(tokens):
        text, top = token.text, opened[-1] if opened else "b"
        if token.directive is not None:
            if token.directive == token.begin:
                found.append(Statement(DIRECTIVE, list(itertools.takewhile(
                    lambda t, its=token: t.directive == its.begin,
                    tokens[at:]))))
            continue
        if token.kind == "comment":
            continue
        if first is None:
            code = []
        if text == "{":
            if OPENING.search(code_of(code)[:-1]):
                finish(HEAD)
                opened.append("b")
                continue
            opened.append("{")
        elif text == "}":
            while opened and opened[-1] in "([":
                opened.pop()
            if not opened or opened.pop() == "b":
                first, rest = None, False  # an enum's last has no semicolon
                continue
        if first is None:
            if text == ";":
                continue
            first, rest = at, text in (",", ")")
        code.append(token)
        if text in ("(", "["):
            opened.append(text)
        elif top + text in ("()", "[]"):
            opened.pop()
        elif text == ";" and top == "b":
            finish(PLAIN)
    return found


def ordinal(number):
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number // 10 % 10 == 1 else ending}"


class Source:
    def __init__(self, path, text):
        self.path, self.text = path, text
        tokens = tokens_of(text)
        self.statements = statements_of(tokens)
        self.whole = Region("*", 0, len(text), 0, len(text))
        self.regions = {"*": self.whole}
        self.find_regions({t.begin for t in tokens if t.kind == "comment"})

    def line(self, offset):
        return 1 + self.text.count("\n", 0, offset)

    # ---- regions ----

    def find_regions(self, comments):
        opened = {}

        def refuse(mark, what):
            raise Misfit(f"{self.path}:{self.line(mark.start())} {what}.")

        for mark in REGION.finditer(self.text):
            name = mark[2]
            if mark.start() not in comments:
                continue
            if mark[1] == ">" and name in opened:
                refuse(mark, f"opens region {name} a second time")
            elif mark[1] == ">":
                opened[name] = mark
            elif name not in opened or name in self.regions:
                refuse(mark, f"closes region {name}, which is not open")
            else:
                first = opened[name]
                self.regions[name] = Region(name, first.start(), mark.end(),
                                            first.end(), mark.start())
        for name in opened.keys() - self.regions.keys():
            refuse(opened[name], f"opens region {name}, which is never closed")

    def region_at(self, offset):
        """The innermost region that holds an offset; outside of all the whole
        file, `*`."""
        return max((r for r in self.regions.values()
                    if r.inside <= offset < r.inside_end),
                   key=lambda r: (r.begin, r != self.whole),
                   default=self.whole)

    def inside(self, region):
        """The statements of a region."""
        return [st for st in self.statements
                if region.inside <= st.begin < region.inside_end]

    # ---- places ----

    def place(self, name):
        """A region or a statement, named so that edits elsewhere don't move it:
          REGION               the region, from marker to marker
          REGION: CODE         the only statement there that holds this code
          REGION: 2nd CODE     the second one; also `last CODE`
        A lone word as CODE is a function that is called: `load-kv:
        __syncthreads`. Other code is compared token by token, so that white
        space, line breaks and comments don't count: `ring:
        mbarrier_wait(k_full`. `statement` is any statement: `load-kv: 1st
        statement`. CODE that begins with # is a directive. As REGION, * is the
        whole file. Misfit where the name fits nothing, or more than one."""
        its = PLACE.fullmatch(name)
        if not its or (its[3] is not None and ": " not in name):
            raise Misfit(f"'{name}' is no place: it must be REGION, REGION: "
                         "CODE or REGION: 2nd CODE.")
        region, which, code = self.regions.get(its[1]), its[2] or "", its[3]
        if not region:
            raise Misfit(f"{self.path} has no region '{its[1]}'.")
        if code is None:
            return region
        number = int((re.match(r"\d+", which) or "0")[0])
        if which[:1].isdigit() and which != f"{ordinal(number)} ":
            which, code, number = "", which + code, 0
        wanted = tokens_of(code)
        if not wanted:
            raise Misfit(f"'{name}' names no code.")
        found = [st for st in self.inside(region) if holds(st, wanted)]
        if number <= len(found) and (which and found or len(found) == 1):
            return found[number - 1]
        where = (self.path if region == self.whole
                 else f"region {its[1]} of {self.path}")
        if not found:
            raise Misfit(f"There is no '{code}' in {where}.")
        if not which:
            raise Misfit(f"'{code}' is in {len(found)} statements of {where}: "
                         f"say which, as in '1st {code}'.")
        raise Misfit(f"There is no {which}'{code}' in {where}, only "
                     f"{len(found)}.")

    # ---- the lines in which a statement stands ----

    def line_begin(self, offset):
        return self.text.rfind("\n", 0, offset) + 1

    def skip_blanks(self, offset):
        return BLANKS.match(self.text, offset).end()

    def lead(self, begin):
        """Above the comments and pragmas that belong to a statement."""
        line = self.line_begin(begin)
        above = LEAD.search(self.text, 0, line).start()
        return self.skip_blanks(above) if above < line else begin

    def indented(self, at, code):
        r"""Every line break in it, also one written \n, is followed by the
        blanks that the place's statement has before it."""
        line = self.line_begin(at.begin)
        blanks = self.text[line:self.skip_blanks(line)]
        if isinstance(at, Region):
            blanks = ""
        return code.replace("\\n", "\n").replace("\n", "\n" + blanks)

    # ---- edits ----

    def edits(self, at, words):
        r"""What can be done to a place, as a list of mistakes says it, in texts
        that take the place of what was from here to there:
          remove         it goes, and its line
          empty          a semicolon takes its place, behind the `if` it has
          double         it is there twice
          up, down       it changes places with the statement before it, after
                         it
          before CODE    this code comes before it, in lines of its own
          after CODE     or after it; both also of a region, and its markers
          write CODE     this code takes its place
          CODE => CODE   one piece of it takes the place of another, which must
                         be there once
        A comment behind the statement goes with it where that is removed,
        emptied or written anew. \n in CODE begins a new line."""
        verb, _, code = words.partition(" ")
        old, arrow, new = words.partition(" => ")
        st, begin, end = isinstance(at, Statement), at.begin, at.end
        if st:
            end = COMMENTS.match(self.text, end).end()
        if verb == "before" and code:
            begin = self.lead(begin) if st else begin
            return [(begin, begin, self.indented(at, f"{code}\n"))]
        if verb == "after" and code:
            return [(end, end, self.indented(
                at, f"\n{code}" if st else f"{code}\n"))]
        if not st:
            raise Misfit("To a region as a whole code can be added before it "
                         f"or after it, and '{words}' is another edit.")
        if verb == "write" and code:
            return [(begin, end, self.indented(at, code))]
        if arrow:
            return [self.replaced(at, old, new)]
        if words == "remove":
            line, behind = self.line_begin(begin), self.skip_blanks(end)
            if self.skip_blanks(line) == begin and (
                    self.text[behind:behind + 1] in ("\n", "")):
                begin, end = line, min(behind + 1, len(self.text))
            return [(begin, end, "")]
        if words == "empty":
            return [(at.tokens[at.core].begin, end, ";")]
        if words == "double":
            again = self.indented(at, f"\n{self.text[begin:at.end]}")
            return [(end, end, again)]
        if words in ("up", "down"):
            return self.swapped(at, words)
        raise Misfit(NO_EDIT.format(words))

    def replaced(self, st, old, new):
        code = code_of(tokens_of(old))
        found = [*re.finditer(f"(?=({re.escape(code[:-1])}) )", st.code)]
        if len(found) != 1 or not code.strip():
            raise Misfit(f"'{old}' must be in the statement once, and is there "
                         f"{len(found)} times.")
        return *st.span(found[0], 1), new

    def beside(self, st, words):
        """The statement before one or after it, or None: up or down."""
        at = self.statements.index(st) + {"up": -1, "down": 1}[words]
        return self.statements[at] if 0 <= at < len(self.statements) else None

    def swapped(self, st, words):
        """Between the two there may be comments, and no brace and no #if."""
        other = self.beside(st, words)
        upper, lower = (other, st) if words == "up" else (st, other)
        if not other or st.kind != PLAIN or other.kind != PLAIN or any(
                t.kind != "comment"
                for t in tokens_of(self.text[upper.end:lower.begin])):
            raise Misfit(f"The statement cannot go {words}: it is the "
                         f"{'first' if words == 'up' else 'last'} of its "
                         "block.")
        return [(one.begin, one.end, self.text[its.begin:its.end])
                for one, its in ((st, other), (other, st))]

    def applied(self, edits):
        """The text with all edits made, of which none may reach into another;
        those at one place come in the order of the list."""
        parts, at = [], 0
        for begin, end, text in sorted(edits, key=lambda its: its[0]):
            parts += [self.text[at:begin], text]
            at = max(at, end)
        return "".join(parts) + self.text[at:]

    def planted(self, place, edit):
        """The text with one edit at one place, both in words."""
        return self.applied(self.edits(self.place(place), edit))


def holds(st, wanted):
    """Whether a statement has these tokens."""
    if (st.kind == DIRECTIVE) != (wanted[0].text == "#"):
        return False
    if len(wanted) == 1 and wanted[0].kind == "word":
        return wanted[0].text == "statement" or st.calls(wanted[0].text)
    return code_of(wanted) in st.code


def read_source(path):
    try:
        with open(path, encoding="utf-8", errors="surrogateescape",
                  newline="") as file:
            return Source(path, file.read())
    except OSError as reason:
        raise Misfit(f"Cannot read {path}: {reason.strerror}.") from None
