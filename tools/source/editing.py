"""The source of a kernel as text with regions, tokens and statements: for
programs that find a place in it, change it there, and write the rest as it was.
`//> NAME` alone in a line opens a region, `//< NAME` closes it."""

import fnmatch
import os
import re
from typing import NamedTuple

TOKEN = re.compile(r"""
    (?P<comment> //[^\n]* | /\*(?s:.*?)(?:\*/|\Z) )
  | (?P<string> "(?:\\[\s\S]|[^"\\\n])*"? | '(?:\\[\s\S]|[^'\\\n])*'? )
  | (?P<number> \.?\d(?:(?<=[eEpP])[+-]|'(?=\w)|[\w.])* )
  | (?P<word> \w+ )
  | (?P<sign> <<=|>>=|->\*|\.\.\.|<<|>>|<=|>=|==|!=|&&|\|\||->|::|\+\+|--
            |[-+*/%&|^]=|\#\#|. )""", re.VERBOSE | re.ASCII)
BLANK = re.compile(r"(?:\\\n|[ \t\n\v\f\r])*")
BLANKS = re.compile(r"[ \t]*")
REGION = re.compile(r"(?m)^//([<>]) (\S*).*(?:\n|\Z)")

# Before a brace that opens a block; behind `if` and the like a bracket comes.
OPENING = (") ] : else do const noexcept try enum mutable").split()
TYPES = "struct class union enum namespace".split()
HEADS = "if for while switch".split()
PLAIN, HEAD, DIRECTIVE = "plain", "head", "directive"

# All barriers, waits, arrivals, fences and commits: CUDA's, those of
# common/device, and what kernels call their own.
SYNCHRONISING = """__syncthreads __syncwarp __pipeline_commit
  __pipeline_wait_prior named_barrier_* mbarrier_* fence_async_proxy wgmma_fence
  wgmma_commit wgmma_wait say_* wait_* release await_turn pass_turn""".split()

NO_EDIT = ("'{}' is no edit: there are remove, empty, double, up, down, before "
           "CODE, after CODE, write CODE and CODE => CODE.")


class Misfit(Exception):
    """What does not fit, in a sentence."""


class Token(NamedTuple):
    kind: str  # comment, string, number, word or sign
    text: str
    begin: int
    end: int
    in_directive: bool      # of a line that begins with #, and its comments
    begins_directive: bool  # that #

    def is_code(self):
        return self.kind != "comment" and not self.in_directive


class Statement(NamedTuple):
    """Plain: up to its semicolon, with an if or for before it. Head: up to the
    brace that opens a block, whose own statements are listed apart. Directive:
    a line that begins with #."""
    kind: str
    first: int  # tokens
    last: int
    core: int   # the first token behind `if (...)`, `for (...)`, `else`


class Region(NamedTuple):
    name: str
    begin: int  # of the lines from marker to marker
    end: int
    inside: int  # of the lines between them
    inside_end: int


class Place(NamedTuple):
    region: Region        # None for the whole file
    statement: Statement  # None for a whole region
    begin: int            # of the region's lines, or the statement
    end: int


class Edit(NamedTuple):
    """This text takes the place of what was from begin to end."""
    begin: int
    end: int
    text: str


def tokens_of(text):
    tokens, at, line_begins, in_directive = [], 0, True, False
    while True:
        blank = BLANK.match(text, at)
        if "\n" in blank[0].replace("\\\n", ""):
            line_begins, in_directive = True, False
        at = blank.end()
        its = TOKEN.match(text, at)
        if not its:
            return tokens
        begins = its[0][0] == "#" and line_begins
        in_directive = in_directive or begins
        tokens.append(Token(its.lastgroup, its[0], at, its.end(), in_directive,
                            begins))
        at, line_begins = its.end(), False


class Reader:
    """Finds the statements among tokens, in order. Braces need not be balanced:
    #if may open a block that another one closes."""

    def __init__(self, tokens):
        self.tokens, self.found = tokens, []
        self.texts = [t.text for t in tokens]
        self.open = []     # ( [ { of an initialiser, b of a block
        self.first = None  # of the statement under way
        self.before = 0    # the last token of code
        self.is_rest = False  # what follows a block inside a statement is none
        at = 0
        while at < len(tokens):
            if tokens[at].in_directive:
                last = at
                while (last + 1 < len(tokens) and tokens[last + 1].in_directive
                       and not tokens[last + 1].begins_directive):
                    last += 1
                self.found.append(Statement(DIRECTIVE, at, last, at))
                at = last
            elif tokens[at].kind != "comment":
                self.read(at)
                self.before = at
            at += 1

    def top(self):
        return self.open[-1] if self.open else "b"

    def read(self, at):
        text = self.texts[at]
        if text == "{":
            if self.opens_block(at):
                self.finish(HEAD, at)
                self.open.append("b")
                return
            self.open.append("{")
        elif text == "}":
            while self.top() in "([":
                self.open.pop()
            of_block = self.top() == "b"
            del self.open[-1:]
            if of_block:  # an enum's last name has no semicolon
                self.first, self.is_rest = None, False
                return
        if self.first is None:
            if text == ";":
                return
            self.first, self.is_rest = at, text in (",", ")")
        if text in ("(", "["):
            self.open.append(text)
        elif (text, self.top()) in ((")", "("), ("]", "[")):
            self.open.pop()
        elif text == ";" and self.top() == "b":
            self.finish(PLAIN, at)

    def finish(self, kind, last):
        if self.first is not None and not self.is_rest:
            self.found.append(Statement(kind, self.first, last,
                                        self.core(self.first, last)))
        self.first, self.is_rest = None, False

    def next_code(self, at, last):
        while at < last and not self.tokens[at].is_code():
            at += 1
        return at

    def core(self, first, last):
        at = first
        while True:
            at = self.next_code(at, last)
            if at >= last:
                return last
            if self.texts[at] in ("else", "do"):
                at += 1
            elif self.texts[at] in HEADS:
                at = self.next_code(at + 1, last)
                if self.texts[at] == "constexpr":
                    at = self.next_code(at + 1, last)
                at = self.behind_brackets(at, last)
            else:
                return at

    def behind_brackets(self, at, last):
        """Past a bracket's partner; past the end where it has none."""
        depth = 0
        for at in range(at, last + 1):
            if self.tokens[at].is_code():
                depth += {"(": 1, ")": -1}.get(self.texts[at], 0)
                if depth == 0:
                    break
        return at + 1

    def opens_block(self, brace):
        if self.first is None or self.texts[self.before] in OPENING or (
                self.texts[self.first] == "extern"
                and self.tokens[self.before].kind == "string"):
            return True
        return self.defines_type(brace) or self.ends_return_type(brace)

    def defines_type(self, brace):
        """struct NAME {, template <...> struct NAME {"""
        at, depth = self.first, 0
        if self.texts[at] == "template":
            for at in range(at + 1, brace + 1):
                depth += {"<": 1, ">": -1}.get(self.texts[at], 0)
                if depth == 0:
                    at += 1
                    break
        words = [self.texts[i] for i in range(at, brace)
                 if self.tokens[i].is_code()]
        return any(word in TYPES for word in words) and not (
            "=" in words or "(" in words)

    def ends_return_type(self, brace):
        """) -> TYPE {"""
        at = brace - 1
        while at > self.first and self.texts[at] not in ("->", ")", "="):
            at -= 1
        return (at > self.first and self.texts[at] == "->"
                and self.texts[at - 1] == ")")


def ordinal(number):
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number // 10 % 10 == 1 else ending}"


class Source:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.tokens = tokens_of(text)
        self.statements = Reader(self.tokens).found
        self.regions = self.find_regions()

    def line(self, offset):
        return 1 + self.text.count("\n", 0, offset)

    # ---- regions ----

    def find_regions(self):
        opened, regions = {}, {}
        comments = {t.begin for t in self.tokens if t.kind == "comment"}
        for mark in REGION.finditer(self.text):
            name, where = mark[2], f"{self.path}:{self.line(mark.start())}"
            if mark.start() not in comments:
                continue
            if mark[1] == ">":
                if name in opened:
                    raise Misfit(f"{where} opens region {name} a second time.")
                opened[name] = mark
            elif name not in opened or name in regions:
                raise Misfit(f"{where} closes region {name}, which is not "
                             "open.")
            else:
                regions[name] = Region(name, opened[name].start(), mark.end(),
                                       opened[name].end(), mark.start())
        for name, mark in opened.items():
            if name not in regions:
                raise Misfit(f"{self.path}:{self.line(mark.start())} opens "
                             f"region {name}, which is never closed.")
        return regions

    def region_at(self, offset):
        """The innermost region that holds an offset, or None."""
        return max((r for r in self.regions.values()
                    if r.inside <= offset < r.inside_end),
                   key=lambda r: r.begin, default=None)

    # ---- tokens and statements ----

    def begin(self, st):
        return self.tokens[st.first].begin

    def end(self, st):
        return self.tokens[st.last].end

    def after(self, st, at):
        """The next token of the statement that is no comment; past its last
        where there is none."""
        at += 1
        while at <= st.last and self.tokens[at].kind == "comment":
            at += 1
        return at

    def is_at(self, st, at, *texts):
        """Whether the token of a statement is one of these."""
        return st.first <= at <= st.last and self.tokens[at].text in texts

    def fits(self, st, at, wanted):
        """The last token of those of the statement that are these, from one
        on; None where they are others."""
        if self.tokens[at].kind == "comment":
            return None
        last = at
        for text in wanted:
            if not self.is_at(st, at, text):
                return None
            last, at = at, self.after(st, at)
        return last

    def calls(self, st, name):
        """Whether the statement calls a function of that name: NAME(, or
        NAME<...>(."""
        for at in range(st.first, st.last + 1):
            if self.tokens[at].kind != "word" or self.tokens[at].text != name:
                continue
            at = self.after(st, at)
            if self.is_at(st, at, "<"):
                while at <= st.last and not self.is_at(st, at, ">", ";"):
                    at = self.after(st, at)
                at = self.after(st, at)
            if self.is_at(st, at, "("):
                return True
        return False

    def inside(self, region):
        """The statements of a region, or all."""
        return [st for st in self.statements if not region or
                region.inside <= self.begin(st) < region.inside_end]

    # ---- places ----

    def place(self, name):
        """A place, named so that edits elsewhere don't move it:
          REGION               the region, from marker to marker
          REGION: CODE         the only statement there that holds this code
          REGION: 2nd CODE     the second one; also `last CODE`
        A lone word as CODE is a function that is called: `load-kv:
        __syncthreads`. Other code is compared token by token, so that white
        space, line breaks and comments don't count: `ring:
        mbarrier_wait(k_full`. `statement` is any statement: `load-kv: 1st
        statement`. CODE that begins with # is a directive. As REGION, * is the
        whole file. Misfit where the name fits nothing, or more than one."""
        its = re.fullmatch(r"([^: ]+)(?:: *(last |\d+(?:st|nd|rd|th) )?(.*))?",
                           name, re.DOTALL)
        if not its or (its[3] is not None and ": " not in name):
            raise Misfit(f"'{name}' is no place: it must be REGION, REGION: "
                         "CODE or REGION: 2nd CODE.")
        region, which, code = self.regions.get(its[1]), its[2] or "", its[3]
        if not region and its[1] != "*":
            raise Misfit(f"{self.path} has no region '{its[1]}'.")
        if code is None:
            return Place(region, None, *(
                (region.begin, region.end) if region else (0, len(self.text))))
        number = re.match(r"\d+", which)
        if number and which != f"{ordinal(int(number[0]))} ":
            which, code, number = "", which + code, None
        wanted = tokens_of(code)
        if not wanted:
            raise Misfit(f"'{name}' names no code.")
        found = [st for st in self.inside(region) if self.holds(st, wanted)]
        index = int(number[0]) - 1 if number else -1 if which else 0
        if found and (which or len(found) == 1) and -1 <= index < len(found):
            st = found[index]
            return Place(region, st, self.begin(st), self.end(st))
        where = f"region {its[1]} of {self.path}" if region else self.path
        if not found:
            raise Misfit(f"There is no '{code}' in {where}.")
        if not which:
            raise Misfit(f"'{code}' is in {len(found)} statements of {where}: "
                         f"say which, as in '1st {code}'.")
        raise Misfit(f"There is no {which}'{code}' in {where}, only "
                     f"{len(found)}.")

    def holds(self, st, wanted):
        if (st.kind == DIRECTIVE) != (wanted[0].text == "#"):
            return False
        texts = [t.text for t in wanted]
        if len(wanted) == 1 and wanted[0].kind == "word":
            return texts[0] == "statement" or self.calls(st, texts[0])
        return any(self.fits(st, at, texts) is not None
                   for at in range(st.first, st.last + 1))

    def sites(self, patterns):
        """The names of the calls of functions that fit one of these patterns
        (`mbarrier_*`), each a statement of its own, perhaps behind an if."""
        for st in self.statements:
            callee = self.tokens[st.core]
            if (st.kind != PLAIN or st.core + 2 >= st.last
                    or callee.kind != "word"
                    or not self.is_at(st, st.core + 1, "(", "<")
                    or not any(fnmatch.fnmatchcase(callee.text, its)
                               for its in patterns)
                    or not self.calls(st, callee.text)):
                continue
            region = self.region_at(self.begin(st))
            found = [its for its in self.inside(region)
                     if self.calls(its, callee.text)]
            which = (f"{ordinal(found.index(st) + 1)} " if len(found) > 1
                     else "")
            yield f"{region.name if region else '*'}: {which}{callee.text}"

    # ---- the lines in which a statement stands ----

    def line_begin(self, offset):
        return self.text.rfind("\n", 0, offset) + 1

    def skip_blanks(self, offset):
        return BLANKS.match(self.text, offset).end()

    def lead(self, at):
        """Above the comments and pragmas that belong to a statement."""
        begin = at.begin
        while self.line_begin(begin) > 0:
            above = self.skip_blanks(
                self.line_begin(self.line_begin(begin) - 1))
            if not self.text.startswith(("#pragma ", "// "), above):
                break
            begin = above
        return begin

    def end_with_comment(self, at):
        """Past the comment behind a statement, in its line."""
        end = at.end
        for t in self.tokens:
            if t.kind == "comment" and t.begin >= end and (
                    t.begin == self.skip_blanks(end)):
                end = t.end
        return end

    def indented(self, at, code):
        r"""Every line break in it, also one written \n, is followed by the
        blanks that the place's statement has before it."""
        line = self.line_begin(at.begin)
        blanks = self.text[line:self.skip_blanks(line)] if at.statement else ""
        return code.replace("\\n", "\n").replace("\n", "\n" + blanks)

    # ---- edits ----

    def edits(self, at, words):
        """What can be done to a place, as a list of mistakes says it:
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
        emptied or written anew. \\n in CODE begins a new line."""
        verb, _, code = words.partition(" ")
        end, st = self.end_with_comment(at), at.statement
        old, arrow, new = words.partition(" => ")
        if verb == "before" and code:
            to = self.lead(at) if st else at.begin
            return [Edit(to, to, self.indented(at, f"{code}\n"))]
        if verb == "after" and code:
            return [Edit(end, end, self.indented(at, f"\n{code}"))
                    if st else Edit(at.end, at.end,
                                    self.indented(at, f"{code}\n"))]
        if not st:
            raise Misfit("To a region as a whole code can be added before it "
                         f"or after it, and '{words}' is another edit.")
        if verb == "write" and code:
            return [Edit(at.begin, end, self.indented(at, code))]
        if arrow:
            return [self.replaced(st, old, new)]
        if words == "remove":
            return [self.removed(at.begin, end)]
        if words == "empty":
            return [Edit(self.tokens[st.core].begin, end, ";")]
        if words == "double":
            again = self.indented(at, f"\n{self.text[at.begin:at.end]}")
            return [Edit(end, end, again)]
        if words in ("up", "down"):
            return self.swapped(at, -1 if words == "up" else 1)
        raise Misfit(NO_EDIT.format(words))

    def removed(self, begin, end):
        line, behind = self.line_begin(begin), self.skip_blanks(end)
        if self.skip_blanks(line) == begin and (
                self.text[behind:behind + 1] in ("\n", "")):
            begin, end = line, min(behind + 1, len(self.text))
        return Edit(begin, end, "")

    def replaced(self, st, old, new):
        wanted = [t.text for t in tokens_of(old)]
        found = [(at, last) for at in range(st.first, st.last + 1)
                 if wanted and (last := self.fits(st, at, wanted)) is not None]
        if len(found) != 1:
            raise Misfit(f"'{old}' must be in the statement once, and is there "
                         f"{len(found)} times.")
        first, last = found[0]
        return Edit(self.tokens[first].begin, self.tokens[last].end, new)

    def swapped(self, at, step):
        """Between the two there may be comments, and no brace and no #if."""
        st = at.statement
        index = self.statements.index(st) + step
        other = (self.statements[index] if 0 <= index < len(self.statements)
                 else None)
        upper, lower = (other, st) if step < 0 else (st, other)
        if not other or st.kind != PLAIN or other.kind != PLAIN or any(
                t.kind != "comment"
                for t in self.tokens[upper.last + 1:lower.first]):
            way, end = ("up", "first") if step < 0 else ("down", "last")
            raise Misfit(f"The statement cannot go {way}: it is the {end} of "
                         "its block.")
        begin, end = self.begin(other), self.end(other)
        return [Edit(at.begin, at.end, self.text[begin:end]),
                Edit(begin, end, self.text[at.begin:at.end])]

    def applied(self, edits):
        """The text with all edits made, of which none may reach into another;
        those at one place come in the order of the list."""
        parts, at = [], 0
        for begin, end, text in sorted(edits, key=lambda its: its[0]):
            parts += [self.text[at:begin], text]
            at = max(at, end)
        return "".join(parts) + self.text[at:]


def kernel_path(stage):
    """Of a stage's kernel.cu, from the root of the tree."""
    further = f"further/{stage}/kernel.cu"
    return further if os.path.exists(further) else f"{stage}/kernel.cu"


def read_source(path):
    try:
        with open(path, encoding="utf-8", errors="surrogateescape",
                  newline="") as file:
            return Source(path, file.read())
    except OSError as reason:
        raise Misfit(f"Cannot read {path}: {reason.strerror}.") from None
