"""The wrappers of common/device/ptx as nvcc reads them: what each takes, and
its inline PTX with every %i replaced by what it stands for."""

import ast
import re
import subprocess
from functools import lru_cache
from typing import NamedTuple

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\w+|->|[<>=!]=|\S')
CLOSING = {"(": ")", "{": "}", "[": "]"}


class Asm(NamedTuple):
    """One asm statement. An operand is a constraint and an expression, as in
    "+f d[0]"; an address in brackets, a vector in braces."""
    instructions: tuple
    volatile: bool
    clobbers: tuple


class Wrapper(NamedTuple):
    parameters: dict  # name: type
    statements: tuple  # of Asm
    around: str  # the body, each of them written as "asm"
    source: str


def compact(tokens):
    return re.sub(r"\b (?!\w)|(?<!\w) \b| (?=\W)|(?<=\W) ", "",
                  " ".join(tokens))


def end_of(tokens, start):
    """Behind the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(tokens)):
        depth += tokens[i] in CLOSING
        depth -= tokens[i] in CLOSING.values()
        if not depth:
            return i + 1
    raise ValueError(f"no end of {compact(tokens[start:start + 20])}")


def split(tokens, separator):
    """At separators that stand in no brackets."""
    parts, i = [[]], 0
    while i < len(tokens):
        if tokens[i] == separator:
            parts.append([])
            i += 1
            continue
        end = end_of(tokens, i) if tokens[i] in CLOSING else i + 1
        parts[-1] += tokens[i:end]
        i = end
    return parts if parts != [[]] else []


@lru_cache(maxsize=None)
def preprocessed(text, arch):
    text = re.sub(r"(?m)^#(include|pragma).*", "", text)
    return subprocess.run(
        ["g++", "-E", "-P", "-x", "c++", f"-D__CUDA_ARCH__={arch}", "-"],
        input=text, capture_output=True, text=True, check=True).stdout


def operand(tokens, values):
    """"+f"(d[0 + 1]) -> +f d[1]"""
    expression = compact(tokens[2:-1])
    while expression in values:
        expression = values[expression]
    expression = re.sub(r"\[([\d+]+)\]", lambda m: "[{}]".format(
        sum(map(int, m[1].split("+")))), expression)
    return f"{ast.literal_eval(tokens[0])} {expression}"


def instructions_of(text, operands):
    """Registers that the text itself declares become $0, $1 and so on."""
    used = {int(n) for n in re.findall(r"(?<!%)%(\d+)", text)}
    if text and used != set(range(len(operands))):
        return (f"operands {sorted(used)} of {len(operands)} are used",)
    text = re.sub(r"(?<!%)%(\d+)", lambda m: operands[int(m[1])], text)
    text = text.replace("%%", "%")
    lines = [" ".join(line.split()).lstrip("{ ") for line in text.split(";")]
    local = [name for line in lines if line.startswith(".reg")
             for name in re.split(r"[ ,]+", line)[2:]]
    for number, name in enumerate(local):
        lines = [re.sub(rf"\b{name}\b", f"${number}", line) for line in lines]
    return tuple(re.sub(r"\s*,\s*", ", ", line) for line in lines
                 if line not in ("", "}") and not line.startswith(".reg"))


def asm_of(tokens, values):
    """asm volatile ( text : outputs : inputs : clobbers )"""
    volatile = tokens[1] == "volatile"
    parts = split(tokens[2 + volatile:-1], ":") + [[]] * 4
    text = "".join(ast.literal_eval(t) for t in parts[0])
    operands = [operand(o, values) for section in parts[1:3]
                for o in split(section, ",")]
    return Asm(instructions_of(text, operands) if text else tuple(operands),
               volatile, tuple(ast.literal_eval(t) for t in parts[3]
                               if t != ","))


def parameters_of(tokens):
    found = {}
    for parameter in split(tokens, ","):
        name = next(t for t in reversed(split(parameter, "[")[0])
                    if re.match(r"[a-z]\w*$", t) and t != "int")
        found[name] = compact(parameter)
    return found


def body_of(tokens):
    """Its statements; constants are replaced by their values, and what is
    returned is called so."""
    tokens, values, statements, around = list(tokens), {}, [], []
    source = compact(tokens)
    for name, value in re.findall(r"const \w+ (\w+)=([^;]*);", source):
        values[name] = re.sub("__cvta_generic_to_shared", "shared", value)
    if returned := re.search(r"return (\w+);", source):
        values[returned[1]] = "return"
    i = 0
    while i < len(tokens):
        if tokens[i] == "asm":
            end = end_of(tokens, tokens.index("(", i))
            statements.append(asm_of(tokens[i:end], values))
            around.append("asm")
            i = end
        else:
            around.append(tokens[i])
            i += 1
    around = compact(around)
    around = re.sub(r"const \w+ \w+=[^;]*;|return \w+;|static_assert[^;]*;"
                    r"|(\[\[maybe_unused\]\])?\b(unsigned|uint64_t|float) \w+;",
                    "", around)
    return tuple(statements), around


def read(text, arch=900):
    """The functions of a header: {name: Wrapper}. Several of one name are told
    apart by their first two parameters."""
    tokens = TOKEN.findall(preprocessed(text, arch))
    found, i = {}, 0
    while "inline" in tokens[i:]:
        start = tokens.index("inline", i)
        head = tokens.index("{", start)
        close = head - 1
        opening = next(o for o in range(close, start, -1) if tokens[o] == "("
                       and end_of(tokens, o) == head)
        end = end_of(tokens, head)
        name = tokens[opening - 1]
        takes = parameters_of(tokens[opening + 1:close])
        if name in found or name == "wgmma_m64k32":
            name += " " + ", ".join(list(takes.values())[:2])
        begin = start
        if tokens[start - 1] == "__device__":
            begin -= 1
        if tokens[begin - 1] == ">":
            begin = max(j for j in range(begin) if tokens[j] == "template")
        statements, around = body_of(tokens[head + 1:end - 1])
        found[name] = Wrapper(takes, statements, around,
                              compact(tokens[begin:end]))
        i = end
    return found
