"""Turns CUDA C++ into what g++ compiles for the executor. No parser: it knows
tokens, brackets, and which function it is in. Every line stays a line.

    kernel<<<grid, block>>>(x)      -> ::simt::of_kernel("kernel", kernel)(grid,
                                       block)(x)
    extern __shared__ float tile[]; -> float *const tile = ...
    dim3 blockDim(16, 16);          -> another name, up to the end of its scope
    asm("bar.sync 1, %0;" :: "r"(n));  -> what inline_ptx.py makes of it
"""

import os
import re
from pathlib import Path

from inline_ptx import Unknown, refusal, translate

TOKEN = re.compile(r"""
    (?P<blank>\s*\n(?=[ \t]*\#)|\s+|\\\n|//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z))
  | (?P<text>(?:u8|[uUL])?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"
           |"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)
  | (?P<directive>(?:(?<=\n)|(?<=\A))[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n/]|/(?!/))*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:'?[\w.]|(?<=[eEpP])[+-])*)
  | (?P<sign><<<|::|->|.)""", re.S | re.X)
OPEN, CLOSE = {*"([{"}, {*")]}"}
BUILTIN = {"threadIdx", "blockIdx", "blockDim", "gridDim"}
BY_POINTER = {"cudaLaunchKernel", "cudaLaunchCooperativeKernel"}
KEYWORDS = {"if", "while", "for", "switch", "return", "else", "do", "case"}
LIBRARIES = {"cub": "CUB", "thrust": "Thrust", "curand_kernel.h": "cuRAND",
             "cutlass": "CUTLASS", "cute": "CuTe",
             "cuda/atomic": "cuda::atomic"}


def tokens_of(text):
    """[kind, text] of each; a directive stands at the start of its line."""
    return [[its.lastgroup if its.lastgroup != "mark" else "text", its[0]]
            for its in TOKEN.finditer(text)]


class Rewriter:
    """Of one program: it may have several files and local headers."""

    def __init__(self, folder, include_folders=()):
        self.folder = Path(folder)
        self.include_folders = include_folders
        self.kernels = {}   # name -> {parameters: number of template ones}
        self.macros = {}    # that make up PTX: name -> {(parameters, body)}
        self.strings = {}   # name of a macro -> the text that it is
        self.device = {"__global__", "__device__"}  # and macros of these
        self.done = {}      # path -> where its copy lies

    def file(self, path):
        """Writes the copy of a file, and of what it includes."""
        path = os.path.normpath(path)
        if path not in self.done:
            copy = self.folder / f"{len(self.done)}-{os.path.basename(path)}"
            self.done[path] = copy
            text = Path(path).read_text("utf-8-sig", "surrogateescape")
            text = text.replace("\r\n", "\n")
            File(self, path).changed(text)  # to know its kernels
            new = File(self, path).changed(text)
            name = path.replace("\\", "\\\\").replace('"', '\\"')
            copy.write_text(f'#line 1 "{name}"\n{new}', "utf-8",
                            "surrogateescape")
        return self.done[path].resolve()


class File:
    def __init__(self, program, path):
        self.program, self.path = program, path

    def changed(self, text, in_macro=False):
        self.tokens = tokens_of(text)
        self.line_end = "\\\n" if in_macro else "\n"
        self.scopes = []          # of each open brace: what it belongs to
        self.head = []            # places of the declaration so far
        self.renamed = {}         # a name -> the depth that it ends at
        self.made_up = False      # a macro's asm whose text its parameters make
        place = 0
        while place < len(self.tokens):
            place = self.step(place, in_macro)
        return "".join(token for _, token in self.tokens)

    # ---- places

    def text(self, place):
        return self.tokens[place][1] if 0 <= place < len(self.tokens) else ""

    def next(self, place, by=1):
        """The next place, or with -1 the one before, that is not blank."""
        place += by
        while 0 <= place < len(self.tokens) and (
                self.tokens[place][0] == "blank"):
            place += by
        return place

    def closing(self, place, by=1):
        """The place of the bracket that belongs to the one at `place`."""
        opens, depth = (OPEN, CLOSE)[::by][0], 0
        while 0 <= place < len(self.tokens):
            kind, text = self.tokens[place]
            if kind == "sign":
                depth += (text in OPEN) - (text in CLOSE)
                if depth == 0 and text not in opens:
                    return place
            place += by
        return -1

    def put(self, begin, end, text):
        """Replaces the tokens of [begin, end); lines stay."""
        lines = "".join(t for _, t in self.tokens[begin:end]).count("\n")
        for place in range(begin, end):
            self.tokens[place] = ["blank", ""]
        self.tokens[begin] = ["done", text + self.line_end * (
            lines - text.count("\n"))]

    # ---- one token

    def step(self, place, in_macro):
        kind, text = self.tokens[place]
        if kind == "directive":
            self.tokens[place][1] = self.directive(text)
        elif kind == "sign":
            return self.sign(place, text)
        elif kind == "word" and self.word(place, text, in_macro):
            return place
        if kind not in ("blank", "directive"):
            self.head.append(place)
        return place + 1

    def directive(self, text):
        include = re.match(r'[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)', text)
        if include:
            return self.include(text, *include.groups())
        macro = re.match(r"([ \t]*#[ \t]*define\s+\w+)(\([^)]*\))?(.*)",
                         text, re.S)
        if macro and "__device__" in macro[3] and "__host__" not in macro[3]:
            self.program.device.add(macro[1].split()[-1])
        calls = macro and not self.program.macros.keys().isdisjoint(
            re.findall(r"\w+", macro[3]))
        if calls or macro and re.search(r"<<<|\b(__)?asm(__)?\b|__shared__",
                                        macro[3]):
            # Its parameters must not be words of what an asm becomes.
            own = set(re.findall(r"\w+", macro[2] or "")) - {"__VA_ARGS__"}
            head, body = ("".join(f"simt_{t}" if t in own else t for _, t in
                                  tokens_of(part)) for part in
                          (macro[2] or "", macro[3]))
            part = File(self.program, self.path)
            new = part.changed(body, in_macro=True)
            if part.made_up or calls:
                self.program.macros.setdefault(macro[1].split()[-1], set()).add(
                    (tuple(re.findall(r"\w+|\.\.\.", head)),
                     body.replace("\\\n", " ")))
            return macro[1] + head + new
        if macro and re.fullmatch(r'(\s|\\\n|"(\\.|[^"\\])*")+', macro[3]):
            self.program.strings[macro[1].split()[-1]] = macro[3]
        if "device" in self.scopes:
            text = re.sub(r"(?<=#)(\s*if)n?def\s+__CUDA_ARCH__\b",
                          lambda m: f"{m[1]} {int('ifdef' in m[0])}", text)
            text = re.sub(r"defined\s*\(?\s*__CUDA_ARCH__\s*\)?|"
                          r"\b__CUDA_ARCH__\b", "900", text)
        return text

    def include(self, text, bracket, name):
        library = LIBRARIES.get(name, LIBRARIES.get(name.split("/")[0]))
        if library:
            return f"#error the executor has no {library}"
        here = os.path.dirname(self.path)
        folders = ([here] if bracket == '"' else []) + list(
            self.program.include_folders)
        for folder in folders:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                return f'#include "{self.program.file(path)}"'
        return text

    def sign(self, place, text):
        if text == "<<<":
            return self.launch(place)
        if text == "{":
            self.scopes.append(self.scope())
        if text == "}" and self.scopes:
            self.scopes.pop()
            self.renamed = {name: depth for name, depth in
                            self.renamed.items() if depth <= len(self.scopes)}
        if text == ";":
            self.note_kernel()
        if text in "{};":
            self.head = []
        else:
            self.head.append(place)
        return place + 1

    def heads(self):
        return [self.text(place) for place in self.head]

    def scope(self):
        words = self.heads()
        self.note_kernel()
        if self.scopes and self.scopes[-1] == "device":
            return "device"
        if "namespace" in words or (words[:1] == ["extern"] and len(words) == 2
                                    and words[1].startswith('"')):
            return "namespace"
        if not self.program.device.isdisjoint(words) and (
                "__host__" not in words or "__global__" in words):
            return "device"
        return "other"

    def note_kernel(self):
        """Of a declaration that has just ended: is it a kernel's?"""
        words = self.heads()
        if "__global__" not in words or words[-1] != ")":
            return
        begin = self.closing(self.head[-1], -1)
        name = self.text(self.next(begin, -1))
        parameters = "".join(t for k, t in
                             self.tokens[begin:self.head[-1]] if k != "blank")
        count = None
        if "template" in words:
            count = self.count_template(self.head[words.index("template")])
        self.program.kernels.setdefault(name, {})[parameters] = count

    def count_template(self, place):
        depth = angles = 0
        count = 1
        for kind, text in self.tokens[place:]:
            if kind == "sign":
                depth += (text in OPEN) - (text in CLOSE)
                if depth == 0:
                    angles += (text == "<") - (text == ">")
                    count += text == "," and angles == 1
                    if text == ">" and angles == 0:
                        break
        return count

    def word(self, place, text, in_macro):
        if text in ("asm", "__asm__", "__asm"):
            self.assembly(place, in_macro)
        elif text == "__shared__":
            self.shared(place, in_macro)
        elif text in BUILTIN:
            self.builtin(place, text)
        elif text in BY_POINTER:
            self.by_pointer(place)
        elif text == "clock" and "device" in self.scopes:
            self.tokens[place][1] = "clock64"
        elif text in self.program.macros and not in_macro:
            return self.expand(place, *self.program.macros[text])
        return False

    # ---- what changes

    def expand(self, place, macro, *others):
        """A macro that makes up PTX. True where its tokens stand there now."""
        begin = self.next(place)
        end = self.closing(begin)
        if self.text(begin) != "(" or end < 0 or others:
            return False
        given = [self.joined(part) for part in self.parts(begin + 1, end)]
        names, body = macro
        if names[-1:] == ("...",):
            last = len(names) - 1
            names = (*names[:-1], "simt___VA_ARGS__", "__VA_ARGS__")
            given = [*given[:last], *2 * [", ".join(given[last:])]]
        known = dict(zip(names, given))
        body = re.sub(r"(?<!#)#\s*(\w+)(?!\s*##)", lambda m: f'"{known[m[1]]}"'
                      if m[1] in known else m[0], body)
        body = "".join(known.get(t, t) if k == "word" else t
                       for k, t in tokens_of(body))
        lines = "".join(t for _, t in self.tokens[place:end + 1]).count("\n")
        self.tokens[place:end + 1] = tokens_of(
            re.sub(r"\s*##\s*", "", body)) + [["blank", "\n" * lines]]
        return True

    def parts(self, begin, end, sign=","):
        """Tokens that commas part, or other signs, but none in brackets."""
        parts, depth = [[]], 0
        for kind, text in self.tokens[begin:end]:
            depth += kind == "sign" and (text in OPEN) - (text in CLOSE)
            if kind == "sign" and depth == 0 and text[0] == sign:
                parts += [[] for _ in text]
            else:
                parts[-1].append((kind, text))
        return parts

    @staticmethod
    def joined(tokens):
        return "".join(" " if k == "blank" else t for k, t in tokens).strip()

    def assembly(self, place, in_macro):
        begin = self.next(place)
        while self.text(begin) in ("volatile", "__volatile__", "inline"):
            begin = self.next(begin)
        end = self.closing(begin)
        if self.text(begin) != "(" or end < 0:
            return
        try:
            new = self.instructions(begin + 1, end)
        except Unknown as what:
            new = refusal(what) + ";"
        if "static_assert" in new and not in_macro and (
                "device" not in self.scopes):
            return  # the host's own
        self.put(place, end + 1, f"({{ {new} }})".replace("\v", self.line_end))

    def instructions(self, begin, end):
        """What stands in an asm: its text, results, operands, and the rest."""
        text = ""
        sections = self.parts(begin, end, ":")
        for kind, token in sections[0]:
            for own, t in (tokens_of(self.program.strings[token]) if
                           token in self.program.strings else [(kind, token)]):
                if own not in ("text", "blank"):
                    self.made_up = True
                    raise Unknown("PTX whose text is made up so")
                text += self.literal(t) if own == "text" else (
                    "\v" * t.count("\n") if own == kind else "")
        # An operand is a copy; but wgmma reads its registers until the wait.
        kinds = ["auto &&", "auto &&" if "wgmma.mma" in text else "auto "]
        known, number = "", 0
        for kind, section in zip(kinds, sections[1:]):
            part = File(self.program, self.path)
            part.tokens = section
            for operand in part.parts(0, len(section)):
                operand = self.joined(operand)
                if operand:
                    known += (f"{kind}simt_{number} = "
                              f"{operand[operand.find('('):]}; ")
                    number += 1
        return translate(text, known)

    @staticmethod
    def literal(text):
        raw = re.fullmatch(r'R"([^(]*)\((.*)\)\1"', text, re.S)
        if raw:
            return raw[2].replace("%%", "%").replace("\n", "\v\n")
        return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": " "}.get(
            m[1], m[1]), text[1:-1].replace("%%", "%"))

    def builtin(self, place, name):
        """A variable of the host's may have the name."""
        words = self.heads()
        if self.text(self.next(place, -1)) == "dim3" or (
                words[:1] == ["dim3"] and words[-1:] == [","] and
                words.count("(") == words.count(")")):
            self.renamed[name] = len(self.scopes) + ("(" in words and
                                                     words[0] != "dim3")
        if name in self.renamed:
            self.tokens[place][1] = f"simt_{name}"

    def shared(self, place, in_macro):
        end = place
        while self.text(end) not in (";", ""):
            end = self.next(end)
        begin = place
        while self.text(self.next(begin, -1)) not in ("", ";", "{", "}", ")",
                                                      ":"):
            begin = self.next(begin, -1)
            if self.tokens[begin][0] == "directive":
                begin = self.next(begin)
                break
        words = [self.text(i) for i in range(begin, end)
                 if self.tokens[i][0] != "blank"]
        if "extern" in words and "[" in words:
            self.dynamic(begin, end, in_macro)
            return
        for i in range(begin, end):
            if self.text(i) in ("static", "inline", "constexpr"):
                self.tokens[i][1] = ""

    def dynamic(self, begin, end, in_macro):
        """extern __shared__ TYPE NAME[]DIMENSIONS, in any order."""
        kind, name, dimensions, place = [], "", "", begin
        while place < end:
            text = self.text(place)
            if text in ("__align__", "alignas", "__attribute__"):
                place = self.closing(self.next(place))
            elif text == "[":
                stop = self.closing(place)
                if name:
                    dimensions += "".join(
                        t for _, t in self.tokens[place:stop + 1])
                else:
                    name = kind.pop()
                place = stop
            elif self.tokens[place][0] not in ("blank", "done") and (
                    text not in ("extern", "__shared__")):
                kind.append(text)
            place += 1
        kind = " ".join(kind)
        at = f"(*const {name}){dimensions}" if dimensions else f"*const {name}"
        cast = f"{kind} (*){dimensions}" if dimensions else f"{kind} *"
        if in_macro or any(s != "namespace" for s in self.scopes):
            new = f"{kind} {at} = ({cast})simt_dynamic_shared()"
        else:
            new = (f"extern __thread {kind} {name}[]{dimensions} "
                   '__asm__("simt_dynamic_memory")')
        self.put(begin, end, new)

    def by_pointer(self, place):
        """(void *)kernel would hide what the kernel takes."""
        place = self.next(self.next(place))
        end = self.closing(place)
        if self.text(place) == "(" and end > 0 and re.fullmatch(
                r"(const)?\s*void\s*(const)?\s*\*", "".join(
                    t for _, t in self.tokens[place + 1:end]).strip()):
            self.put(place, end + 1, "")

    # ---- a launch

    def launch(self, place):
        end = place
        depth = 0
        while end < len(self.tokens):
            end += 1
            text = self.text(end)
            depth += (text in OPEN) - (text in CLOSE)
            if depth == 0 and text == ">" and (
                    self.text(end + 1) == self.text(end + 2) == ">"):
                break
        begin = self.kernel_begin(place)
        if end + 2 >= len(self.tokens) or begin is None:
            return place + 1
        open_ = self.next(end + 2)  # of the arguments, unless by a macro
        close = self.closing(open_) if self.text(open_) == "(" else open_
        if "device" in self.scopes:
            self.put(begin, close + 1, "simt_has_no_dynamic_parallelism()")
            return close + 1
        kernel = "".join(t for k, t in self.tokens[begin:place]
                         if k != "blank")
        self.tokens[begin][1] = self.call(kernel) + self.text(begin)
        self.tokens[place][1] = (
            "(simt_all...); })(" if self.is_deduced(kernel) else ")(")
        for i in range(place + 1, end):
            if self.text(i) in BUILTIN:
                self.builtin(i, self.text(i))
        self.tokens[end][1] = ")"
        self.tokens[end + 1][1] = self.tokens[end + 2][1] = ""
        for i in range(open_, close):
            if self.text(i) == "NULL":
                self.tokens[i][1] = "nullptr"
        return end + 3

    def is_deduced(self, kernel):
        """Its template parameters follow from the arguments, or one of several
        kernels is meant."""
        known = self.program.kernels.get(re.split(r"<|::", kernel)[0] if
                                         "<" in kernel else
                                         kernel.split("::")[-1], {})
        counts = set(known.values())
        if "<" not in kernel:
            return counts - {None} != set() or len(known) > 1
        given = File(self.program, "")
        given.tokens = tokens_of(kernel)
        return bool(counts) and given.count_template(0) not in counts

    def call(self, kernel):
        name = kernel.replace("\\", "").replace('"', "'")
        if "##" in name:  # a macro pastes it together
            name = re.sub(r"(##)?\b(simt_\w+)(##)?", r'" #\2 "', name)
        if self.is_deduced(kernel):
            return (f'::simt::of_call("{name}", '
                    "[&](auto &...simt_all) { ")
        return f'::simt::of_kernel("{name}", '

    def kernel_begin(self, place):
        place = self.next(place, -1)
        if self.text(place) == ">":
            angles = 0
            while place >= 0:
                text = self.text(place)
                if text in CLOSE:
                    place = self.closing(place, -1)
                angles += (text == ">") - (text == "<")
                if angles == 0:
                    break
                place -= 1
            place = self.next(place, -1)
        while self.text(place) in (")", "]"):
            place = self.closing(place, -1)
            before = self.next(place, -1)
            if self.tokens[before][0] != "word" or (
                    self.text(before) in KEYWORDS):
                return place
            place = before
        if place < 0 or self.tokens[place][0] != "word":
            return None
        while self.text(self.next(place, -1)) in ("::", ".", "->", "#"):
            sign = self.next(place, -1)
            before = self.next(sign, -1)
            if self.text(before) == "#":
                before = self.next(before, -1)
            if self.tokens[before][0] != "word" or (
                    self.text(before) in KEYWORDS):
                return sign
            place = before
        return place
