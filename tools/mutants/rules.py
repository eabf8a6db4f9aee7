"""The rules that make mistakes of a kernel: what each looks for in a statement
of what runs on the GPU, and what it makes of it."""

import fnmatch
from typing import Callable, NamedTuple

from editing import DIRECTIVE, HEAD, PLAIN, Edit, Misfit, Place

ASSIGNING = "= += -= *= /= ^= |=".split()
DEPTH = {**dict.fromkeys("([{", 1), **dict.fromkeys(")]}", -1)}


class Rule(NamedTuple):
    name: str
    find: Callable  # (kernel, statement, rule): the edits, and what is shown
    where: tuple    # what it looks for, as its finder reads it
    what: str       # what it does there, as its finder reads it
    sentence: str   # on the mistake; %s is the code
    orders: bool    # of what puts the threads' accesses in order


def fits(text, patterns):
    return any(fnmatch.fnmatchcase(text, its) for its in patterns)


class Kernel:
    """What of a source runs on the GPU, and how its tokens lie."""

    def __init__(self, source):
        self.source, self.tokens = source, source.tokens
        self.is_at, self.after = source.is_at, source.after
        self.texts = [t.text for t in source.tokens]
        self.statements = list(self.on_gpu())

    def on_gpu(self):
        """The statements in the body of a __device__ or __global__ function
        that are no directives. Arms that exclude each other begin equally deep:
        both may open the loop that is closed once behind them."""
        depth, outside, at, conditions = 0, None, 0, []
        for st in self.source.statements:
            for at in range(at, st.first):
                if self.tokens[at].begins_directive:
                    word = self.texts[at + 1]
                    if word in ("if", "ifdef", "ifndef"):
                        conditions.append(depth)
                    elif conditions and word == "endif":
                        conditions.pop()
                    elif conditions and word in ("else", "elif"):
                        depth = conditions[-1]
                elif not self.tokens[at].in_directive:
                    depth += {"{": 1, "}": -1}.get(self.texts[at], 0)
            at = st.first
            if outside is not None and depth <= outside:
                outside = None
            if outside is not None and st.kind != DIRECTIVE:
                yield st
            elif outside is None and st.kind == HEAD and (
                    {"__device__", "__global__"}
                    & set(self.texts[st.first:st.last + 1])):
                outside = depth

    def found(self, rule):
        for st in self.statements:
            yield from rule.find(self, st, rule)

    def before(self, st, at):
        """The token of the statement before one that is no comment; below its
        first where there is none."""
        at -= 1
        while at >= st.first and self.tokens[at].kind == "comment":
            at -= 1
        return at

    def assigns(self, at):
        return self.texts[at] in ASSIGNING

    def depth(self, at):
        """How deep in brackets a token goes: +1 for one that opens, -1, 0."""
        return DEPTH.get(self.texts[at], 0)

    def bracket_end(self, st, at):
        """The bracket that closes one, or the statement's last token."""
        depth = 0
        while at < st.last:
            depth += self.depth(at)
            if depth == 0:
                break
            at += 1
        return at

    def code(self, first, last):
        return self.source.text[self.tokens[first].begin:self.tokens[last].end]

    def change(self, begin, end, text, first, last):
        """One edit, and the tokens that the sentence shows."""
        return ([Edit(begin, end, text)], self.tokens[first].begin,
                self.tokens[last].end)

    def replace(self, first, last, text, shown=None):
        return self.change(self.tokens[first].begin, self.tokens[last].end,
                           text, *(shown or (first, last)))

    def is_constant(self, first, last):
        """Of names in capitals and numbers alone: the compiler knows it."""
        return not any(t.kind == "word" and "a" <= t.text[0] <= "z"
                       for t in self.tokens[first:last + 1])


# ---- calls; `where` are patterns of names ----

def find_calls(k, st, rule):
    """A statement that is nothing but such a call, perhaps behind an if: `what`
    is an edit of tools/source. It goes up or down past what may touch memory
    only: a statement of the thread's own numbers has neither brackets nor
    calls."""
    source = k.source
    if st.kind != PLAIN or not fits(k.texts[st.core], rule.where) or (
            not k.is_at(st, st.core + 1, "(", "<")):
        return
    step = {"up": -1, "down": 1}.get(rule.what, 0)
    index = source.statements.index(st) + step
    other = source.statements[index] if (
        0 <= index < len(source.statements)) else None
    if step and not (other and {"(", "["} & set(
            k.texts[other.core:other.last + 1])):
        return
    at = Place(None, st, source.begin(st), source.end(st))
    try:
        yield source.edits(at, rule.what), at.begin, at.end
    except Misfit:
        pass


def argument_end(k, st, at, number):
    """The token behind the argument of that number, of what is called at a
    token, and the bracket before the first; None where there is none. 0 is the
    template's argument."""
    start = k.after(st, at)
    if number and k.is_at(st, start, "<"):
        while start < st.last and not k.is_at(st, start, ">"):
            start += 1
        start = k.after(st, start)
    if not k.is_at(st, start, "(" if number else "<"):
        return None
    depth = 0
    for at in range(start, st.last + 1):
        if number == 0:
            if k.is_at(st, at, ">"):
                return at, start
            continue
        depth += k.depth(at)
        if at > start and (depth == 0 or depth == 1 and k.is_at(st, at, ",")):
            number -= 1
            if number == 0:
                return at, start
        if depth == 0:
            return None
    return None


def find_arguments(k, st, rule):
    """`what` begins with the number of an argument, from 1 on, behind which the
    rest of it comes: "2 + 1"."""
    for at in range(st.first, st.last + 1):
        if k.tokens[at].kind == "word" and fits(k.texts[at], rule.where):
            found = argument_end(k, st, at, int(rule.what[0]))
            if found:
                to = k.tokens[k.before(st, found[0])].end
                yield k.change(to, to, rule.what[1:], at,
                               k.bracket_end(st, found[1]))


def find_atomics(k, st, rule):
    """atomicAdd(&WORD, NUMBER) as a plain addition."""
    for at in range(st.first, st.last + 1):
        if k.source.fits(st, at, ["atomicAdd", "(", "&"]) and (
                k.is_at(st, at + 4, ",") and k.is_at(st, at + 6, ")")):
            to, by = k.texts[at + 3], k.texts[at + 5]
            yield k.replace(at, at + 6, f"({to} += {by}) - {by}")


# ---- what stands inside statements ----

def value_end(k, st, at, pattern):
    """The last token of what fits a pattern of tokens, with blanks between
    them; an index behind it belongs to it. None where it is another."""
    last = None
    for word in pattern.split(" "):
        if at > st.last or not fits(k.texts[at], [word]):
            return None
        last, at = at, k.after(st, at)
    while k.is_at(st, k.after(st, last), "["):
        last = k.bracket_end(st, k.after(st, last))
    return last


def is_used(k, st, first, last):
    """Behind a type it is declared, before an = written, behind a dot a
    member."""
    before, after = k.before(st, first), k.after(st, last)
    declared = (before >= st.first and k.tokens[before].kind == "word"
                and k.texts[before] != "return")
    return not declared and not k.is_at(st, before, ".", "&") and (
        after > st.last or not k.assigns(after))


def find_values(k, st, rule):
    """A value that is used, not declared or written: each of `where` is a
    pattern. `what` takes its place, where %s stands for it."""
    for at in range(st.first, st.last + 1):
        for pattern in rule.where:
            last = value_end(k, st, at, pattern)
            if last is not None and is_used(k, st, at, last):
                yield k.replace(at, last,
                                rule.what.replace("%s", k.code(at, last)))
                break


def find_operators(k, st, rule):
    """A sign between two operands, one of `where`; `what` takes its place. Not
    in the head of a for loop, nor the sign of a number or a template's
    bracket."""
    at, text = st.first, k.source.text
    while at < st.last:
        if k.texts[at] == "for":
            at = k.bracket_end(st, at + 1)
        its, before = k.tokens[at], k.before(st, at)
        if its.text in rule.where and before >= st.first and (
                text[its.begin - 1].isspace() and text[its.end].isspace()
                and not k.is_at(st, before, "=", "?", ":", ",")):
            yield k.replace(at, at, rule.what, (before, k.after(st, at)))
        at += 1


def find_numbers(k, st, rule):
    """A sign, one of `where`, with a number behind it, which becomes twice
    that."""
    for at in range(st.first, st.last):
        number = k.after(st, at)
        if k.texts[at] in rule.where and k.tokens[number].kind == "number":
            yield k.replace(number, number, f"(2 * {k.texts[number]})",
                            (k.before(st, at), number))


def find_arrays(k, st, rule):
    """The first number of elements of a __shared__ array. `what` follows it."""
    at = st.first
    if k.texts[at] != "__shared__":
        return
    while at < st.last and k.texts[at] != "[":
        at += 1
    if at < st.last:
        to = k.tokens[k.bracket_end(st, at)].begin
        yield k.change(to, to, rule.what, st.first, st.last)


# ---- whole statements, their conditions and loops ----

def declares(k, st):
    """TYPE NAME, TYPE<...> NAME, TYPE *NAME, TYPE &NAME before what is
    assigned."""
    depth = 0
    if k.tokens[st.core].kind != "word":
        return False
    for at in range(st.core, st.last):
        if k.assigns(at):
            break
        behind = k.after(st, at)
        depth += k.depth(at)
        if depth == 0 and (k.tokens[at].kind == "word" or k.texts[at] == ">") \
                and (k.is_at(st, behind, "*", "&")
                     or k.tokens[behind].kind == "word"):
            return True
    return False


def find_actions(k, st, rule):
    """A statement that writes, or calls a function, and declares nothing: an
    empty one takes its place."""
    others = "return", "using", "continue", "break", "printf", "template"
    if st.kind == PLAIN and st.core < st.last and (
            k.texts[st.core] not in others and not declares(k, st)):
        yield k.replace(st.core, st.last, ";")


def choice_begin(k, st, at):
    """Where the condition before a ? begins."""
    depth, first, before = 0, at, k.before(st, at)
    while before >= st.first:
        depth -= k.depth(before)
        if depth < 0 or depth == 0 and k.texts[before] in (
                "=", "+=", ",", "return", "?", ":"):
            break
        first, before = before, k.before(st, before)
    return first


def find_conditions(k, st, rule):
    """The condition of an if or of a choice with ?, unless it is of constants
    alone. `what` takes its place."""
    for at in range(st.first, st.last):
        if k.texts[at] == "if" and k.is_at(st, at + 1, "("):
            first, last = at + 2, k.bracket_end(st, at + 1) - 1
        elif k.texts[at] == "?":
            first, last = choice_begin(k, st, at), k.before(st, at)
        else:
            continue
        if first <= last and not k.is_constant(first, last):
            yield k.replace(first, last, rule.what)


def find_loops(k, st, rule):
    """A for loop that begins at 0 and counts up. `what` is "late": it begins
    with the second; "short": it ends before the last; or "long": it has one
    more, where the limit is no constant."""
    for at in range(st.first, st.last):
        if k.texts[at] != "for" or not k.is_at(st, at + 1, "("):
            continue
        close = k.bracket_end(st, at + 1)
        start = less = stop = None
        step = "1"
        for i in range(at, close):
            if k.texts[i] == "=" and k.is_at(st, i + 1, "0") and not start:
                start = i + 1
            if k.texts[i] == "<" and start:
                less = i
            if k.texts[i] == ";" and less and not stop:
                stop = i
        if not stop:
            continue
        for i in range(stop, close):
            if k.texts[i] == "+=":
                step = k.source.text[k.tokens[i + 1].begin:
                                     k.tokens[close].begin]
        if rule.what == "late":
            yield k.replace(start, start, step, (at, close))
        elif rule.what == "short":
            to = k.tokens[stop].begin
            yield k.change(to, to, f" - {step}", at, close)
        elif not k.is_constant(less, stop):
            yield k.replace(less, less, "<=", (at, close))


# ---- the rules ----

def of_calls(kind, names):
    return [Rule(f"{kind}-{name}", find_calls, tuple(names.split()), what,
                 f"'%s' {sentence}", True) for name, what, sentence in (
                     ("removed", "empty", "is left out."),
                     ("doubled", "double", "is there twice."),
                     ("up", "up", "comes a statement early."),
                     ("down", "down", "comes a statement late."))]


def rules(finder, orders, *lines):
    """NAME; WHERE, patterns with commas between them; WHAT; SENTENCE"""
    for line in lines:
        name, where, what, sentence = map(str.strip, line.split(";"))
        yield Rule(name, finder, tuple(where.split(", ")), what, sentence,
                   orders)


ON_MBARRIERS = ("mbarrier_wait, mbarrier_arrive, mbarrier_arrive_expecting, "
                "wait_*, say_*, release")
NAMED = "named_barrier_sync, named_barrier_arrive"
SCALES = "args . *_scale, *_scale, rescale, factor, row_factor, weight"

RULES = [
    *of_calls("barrier", "__syncthreads __syncwarp named_barrier_sync"),
    *of_calls("wait", "__pipeline_wait_prior mbarrier_wait wgmma_wait wait_* "
              "await_turn"),
    *of_calls("commit", "__pipeline_commit wgmma_commit"),
    *of_calls("fence", "fence_async_proxy wgmma_fence"),
    *of_calls("arrival", "mbarrier_arrive* named_barrier_arrive release say_* "
              "pass_turn"),
    *rules(find_values, True,
           "asked-once; mbarrier_wait; mbarrier_try_wait; '%s' asks once "
           "and does not wait."),
    *rules(find_arguments, True,
           "groups-left; __pipeline_wait_prior; 1 + 1; '%s' leaves one "
           "group more under way.",
           "products-left; wgmma_wait; 0 + 1; '%s' leaves one group more "
           "under way.",
           f"id-off; {NAMED}; 1 + 1; '%s' is at the next barrier.",
           f"threads-over; {NAMED}; 2 + 32; '%s' expects a warp too many.",
           f"threads-short; {NAMED}; 2 - 32; '%s' expects a warp too few.",
           "count-over; mbarrier_init; 2 + 1; '%s' expects an arrival too "
           "many.",
           "count-short; mbarrier_init; 2 - 1; '%s' expects an arrival too "
           "few.",
           "bytes-over; mbarrier_arrive_expecting; 2 + 16; '%s' expects "
           "bytes that nobody brings.",
           "bytes-short; mbarrier_arrive_expecting; 2 - 16; '%s' does not "
           "expect all bytes.",
           f"slot-off; {ON_MBARRIERS}; 1 + 1; '%s' is at the barrier behind "
           "the right one.",
           "phase-off; mbarrier_wait; 2 ^ 1; '%s' takes the other parity."),
    *rules(find_values, False,
           "buffer-off; slot; (%s ? 0 : 1); Another buffer is taken than "
           "that of '%s'."),
    *rules(find_atomics, True,
           "atomic-plain; atomicAdd;; '%s' becomes a plain addition."),
    *rules(find_values, False,
           "half-a-warp; ALL_LANES; (ALL_LANES >> 1); Lane 31 is missing "
           "from the mask."),
    *rules(find_arguments, False,
           "lane-off; __shfl_sync, __shfl_xor_sync; 3 * 2; '%s' asks "
           "another lane."),
    *rules(find_actions, False, "statement-left-out;;; '%s' is left out."),
    *rules(find_operators, False,
           "sum-restarted; +=; =; '%s' forgets the sum so far."),
    *rules(find_values, False,
           f"scale-left-out; {SCALES}; 1.0f; '%s' is taken for 1."),
    *rules(find_conditions, False,
           "always;; true; '%s' is taken to be true.",
           "never;; false; '%s' is taken to be false."),
    *rules(find_operators, False,
           "less; <; <=; '%s' includes the limit.",
           "less-or-equal; <=; <; '%s' excludes the limit.",
           "greater; >; >=; '%s' includes the limit.",
           "greater-or-equal; >=; >; '%s' excludes the limit.",
           "equal; ==; !=; '%s' is the other way.",
           "and; &&; ||; '%s' needs only one of two.",
           "or; ||; &&; '%s' needs both."),
    *rules(find_loops, False,
           "loop-late;; late; '%s' leaves the first out.",
           "loop-short;; short; '%s' leaves the last out.",
           "loop-long;; long; '%s' goes one too far."),
    *rules(find_operators, False, "minus; -; +; '%s' adds."),
    *rules(find_numbers, False,
           "divisor; /, %;; '%s' has twice that number."),
    *rules(find_values, False,
           "start; - INFINITY, NONE; 0.0f; 0 takes the place of '%s'.",
           "largest; fmaxf; fminf; The smaller one is taken for the larger "
           "one."),
    Rule("array-short", find_arrays, (), " - 1", "'%s' is one too short.",
         False)]
