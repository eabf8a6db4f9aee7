"""Mistakes made of a kernel by rules: what each rule of mistakes.toml looks for
in a statement of what runs on the GPU, and what it makes of it."""

import os
import re
from types import SimpleNamespace
from typing import Callable, NamedTuple

from editing import (ANGLES, DIRECTIVE, HEAD, PLAIN, UNIT, Misfit, any_of,
                     code_of, tokens_of)
from facts import entries, load

CHOSEN_MOST = 60
SHOWN = 60  # characters of the code in a sentence


class Rule(NamedTuple):
    name: str
    kind: str
    orders: bool    # of what puts the threads' accesses in order
    find: Callable  # (source, statement, rule): the edits, and what is shown
    where: str      # what it looks for, and what it does there, as its finder
    what: str       # reads them
    sentence: str   # on the mistake; %s is the code


# ---- what a rule finds ----

def find_calls(source, st, rule):
    """A statement that is nothing but such a call, perhaps behind an if: `what`
    is an edit. It goes up or down past what may touch memory only: a statement
    of the thread's own numbers has neither brackets nor calls."""
    if st.kind != PLAIN or not re.match(rf" {any_of(rule.where)} [(<] ",
                                        st.bare):
        return
    if rule.what in ("up", "down"):
        other = source.beside(st, rule.what)
        if not other or not re.search(r" [([] ", other.bare):
            return
    try:
        yield source.edits(st, rule.what), st.begin, st.end
    except Misfit:
        pass


def find_code(source, st, rule, code=None):
    """`where` is a pattern of the statement's code. What it calls `e` becomes
    `what`, in which {NAME} is what it calls so; the sentence shows `s`, or
    else that. The compiler must not know what it calls `v`: it knows names in
    capitals, and numbers."""
    for its in re.finditer(f"(?={rule.where} )", code or st.code):
        named = its.groupdict()
        if "v" in named and not re.search(" [a-z]", " " + its["v"]):
            continue
        texts = {name: "1" if text is None
                 else source.text[slice(*st.span(its, name))]
                 for name, text in named.items()}
        yield ([(*st.span(its, "e"), rule.what.format(**texts))],
               *st.span(its, "s" if "s" in named else "e"))


FOR = re.compile(rf" for \((?:{UNIT})* \)")


def find_operators(source, st, rule):
    """A sign between two operands, with blanks around it: not in the head of a
    for loop, nor the sign of a number or a template's bracket."""
    code = FOR.sub(lambda its: " ~" * its[0].count(" "), st.code)
    for edits, *shown in find_code(source, st, rule, code):
        begin, end, _ = edits[0]
        if source.text[begin - 1].isspace() and source.text[end].isspace():
            yield edits, *shown


def find_actions(source, st, rule):
    """A statement that writes, or calls a function, and declares nothing, as
    in TYPE NAME, TYPE<...> NAME, TYPE *NAME before what is assigned."""
    begins = re.split(" [-+*/^|]?= ", st.bare)[0]
    for _ in range(8):
        begins = re.sub(r" [([{][^()[\]{}]*[)\]}]", " ~", begins)
    begins = re.sub(r" [([{].*", "", begins)
    others = r" (?:return|using|continue|break|printf|template) "
    if st.kind == PLAIN and len(st.tokens) > st.core + 1 and not (
            re.match(others, st.bare) or re.match(r" [^\W\d]", st.bare)
            and re.search(r" (?:[^\W\d]\w*|>) (?:[*&] |[^\W\d])", begins)):
        begin = st.tokens[st.core].begin
        yield [(begin, st.end, rule.what)], begin, st.end


# ---- the rules ----

ANY, PART, STEP = (f"(?:{refused}{UNIT})*" for refused in (
    "", "(?! , )", r"(?! (?:\+?=|,|return|\?|:) )"))


def argument(where):
    """Which argument, from 1 on, of these functions; 0 is the template's."""
    number, _, names = where.partition(" ")
    angles = rf"{any_of(names)} <"
    if number == "0":
        return rf" (?P<s>{angles})(?P<e>(?: (?!> )\S+)*) >"
    return (rf" (?P<s>{any_of(names)}(?:{ANGLES})? \("
            + rf"{PART} ," * (int(number) - 1)
            + rf"(?P<e>{PART})(?= [,)] ){ANY} \))")


def value(where):
    """One that is used: behind a type it is declared, before an = written,
    behind a dot a member."""
    names = "|".join(map(re.escape, where.split(", "))).replace(r"\*", r"\S*")
    return (rf"(?:(?<= return)|(?<!\w)(?<! \.)(?<! &)) (?P<e>(?:{names})"
            rf"(?: \[{ANY} \])*)(?! \[| [-+*/^|]?= )")


def operator(where):
    return rf" (?P<s>(?!(?:[=?:,]) )\S+ (?P<e>{re.escape(where)}) \S+)"


def condition(_):
    """Of an if, or of a choice with ?."""
    return (r"(?:(?P<i> if \()|^| (?:\+?=|,|return|\?|:|[([{]))"
            rf"(?P<v>(?P<e>(?(i){ANY}|{STEP})))(?(i) \)| \?)")


def loop(where):
    """One that begins at 0 and counts up: its `zero`, its `less`, its limit."""
    pattern = (r" (?P<s>for \([^;]*? = (?P<zero>0)(?: [^;]*)? ;[^;]* "
               rf"(?P<less><)(?P<limit> [^;]*) ;(?:(?! \+= ){UNIT})*"
               rf"(?: \+=(?P<step>{ANY}))? \))")
    for name, its in zip(where.split(), "ev"):
        pattern = pattern.replace(f"<{name}>", f"<{its}>")
    return pattern


def code(where):
    return where.replace("ANY", ANY)


# ---- the table of rules ----

HOW = {its.__name__: its for its in (value, argument, operator, condition,
                                     loop, code)}
ON_CALLS = (("removed", "empty", "is left out."),
            ("doubled", "double", "is there twice."),
            ("up", "up", "comes a statement early."),
            ("down", "down", "comes a statement late."))


def read_rules(rows):
    for name, kind, orders, how, where, what, sentence in rows:
        if how == "call":
            for verb, edit, sentence in ON_CALLS:
                yield Rule(f"{name}-{verb}", "-" if edit == "double" else kind,
                           True, find_calls, where, edit, f"'%s' {sentence}")
        elif how == "action":
            yield Rule(name, kind, False, find_actions, where, what, sentence)
        else:
            yield Rule(name, kind, orders == "order", find_operators if
                       how == "operator" else find_code, HOW[how](where), what,
                       sentence)


TABLE = load(f"{os.path.dirname(__file__)}/mistakes.toml")
RULES = list(read_rules(entries(TABLE, "rules", 7)))


# ---- the mistakes of a source ----

def on_gpu(source):
    """The statements in the body of a __device__ or __global__ function, which
    ends in its line or as deep as it began, that are no directives."""
    ends = 0
    for st in source.statements:
        if st.begin < ends:
            if st.kind != DIRECTIVE:
                yield st
        elif st.kind == HEAD and re.search(" __(?:device|global)__ ", st.code):
            line = source.line_begin(st.begin)
            blanks = source.text[line:source.skip_blanks(line)]
            its = re.compile(rf".*}}\n|[^\0]*?\n{blanks}}}").match(
                source.text, st.end)
            ends = its.end() if its else len(source.text)


def mistakes_of(source):
    """All that the rules make of a source, rule by rule, each rule's in the
    order of the text; of those with the same text the first. Of each the code
    that the sentence shows begins at `begin`; `text` is the whole source."""
    texts, found, statements = {source.text}, [], [*on_gpu(source)]
    for rule in RULES:
        for edits, begin, end in (its for st in statements
                                  for its in rule.find(source, st, rule)):
            text = source.applied(edits)
            if text not in texts:
                texts.add(text)
                # In one line, cut off where it is long.
                shown = re.sub(r"(?a)\s+", " ", source.text[begin:end]).lstrip()
                shown = shown[:SHOWN] + "..." * (len(shown) >= SHOWN)
                found.append(SimpleNamespace(
                    number=len(found) + 1, rule=rule, begin=begin, text=text,
                    region=source.region_at(begin).name.strip("*"),
                    line=source.line(begin),
                    sentence=rule.sentence.replace("%s", shown)))
    return found


def choose(source, found, before=None):
    """Which mistakes of a stage are built and judged: for each rule one in
    each region, and of these CHOSEN_MOST at most, evenly spread. Where the
    stage before has a statement too, token by token, it was judged there,
    unless the rule is about what puts threads in order."""
    def code(of, st):
        return code_of([t for t in tokens_of(of.text[st.begin:st.end])
                        if t.kind != "comment"])
    theirs = {code(before, st) for st in before.statements} if before else ()
    chosen = {}
    for m in found:
        st = next(st for st in source.statements if st.end > m.begin)
        if m.rule.orders or code(source, st) not in theirs:
            chosen.setdefault((m.rule, m.region), m)
    count = max(len(chosen), CHOSEN_MOST)  # of as many as that all are taken
    return [its for nth, its in enumerate(chosen.values())
            if nth * CHOSEN_MOST // count != (nth + 1) * CHOSEN_MOST // count]
