"""Inline PTX as C++ for the executor. A row of TABLE is an instruction and what
becomes of it: a call, mostly of common/simt/host/ptx.h (~ stands for its
namespace).

In a pattern all is literal but <T> and <S>, any type; <E> and <F>, any element
of a matrix; <name:a|b>, one of these; <name?>, a modifier of that name or none;
and (a|b)?. In a call {0} and on are operands:
    {0}    as it is; of several in braces all    {0:a}  an address
    {0:T}  as a value of the type T              {0:b}  an mbarrier's
    {0:w}  in braces, each as a word             {0:c}  coordinates
    {0:f}  the same as floats; {0:i} as ints     {0:|}  what is behind a bar
    {0:t}  in braces, each as a T                {2:,}  a comma, and it
    {0:&}  in braces, where each lies            {0:#}  how many
    {0:d}  the same of words, or a descriptor
"""

import re

TYPES = {"pred": "bool", "f16": "__half", "f16x2": "__half2", "f32": "float",
         "f64": "double", "bf16": "__nv_bfloat16", "bf16x2": "__nv_bfloat162",
         **{f"{kind}{size}": f"{'' if kind == 's' else 'u'}int{size}_t"
            for kind in "bus" for size in (8, 16, 32, 64)}}
ELEMENTS = {"f16": "SIMT_F16", "bf16": "SIMT_BF16", "e4m3": "SIMT_E4M3",
            "e5m2": "SIMT_E5M2", "tf32": "SIMT_TF32", "s8": "SIMT_S8"}
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", "and": "&",
         "or": "|", "xor": "^", "eq": "==", "ne": "!=", "lt": "<", "le": "<=",
         "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
REGISTERS = {"tid": "threadIdx", "ntid": "blockDim", "ctaid": "blockIdx",
             "nctaid": "gridDim", "laneid": "simt_lane()", "smid": "0u",
             "nsmid": "1u", "warpid": "(::simt::ptx::thread_number() / 32)",
             "nwarpid": "((::simt::ptx::threads() + 31) / 32)",
             "clock": "(unsigned)simt_clock()", "clock64": "simt_clock()",
             "globaltimer": "simt_clock()",
             "lanemask_eq": "(1u << simt_lane())",
             "lanemask_lt": "((1u << simt_lane()) - 1)",
             "lanemask_le": "((2u << simt_lane()) - 1)",
             "lanemask_gt": "-(2u << simt_lane())",
             "lanemask_ge": "-(1u << simt_lane())", "cluster_ctarank": "0u",
             "cluster_nctarank": "1u"}
# Hints, and what the executor does in any case, or instruction() sees to.
IGNORED = re.compile(r"\.(?:aligned|ftz|noftz|approx|full|L[12]::\w+|uni|tile)"
                     r"(?![\w:])")
SHORT = {"@ORDER": "(.(release|acquire|relaxed|acq_rel|sc))?@SCOPE",
         "@SCOPE": "(.(cta|cluster|gpu|sys))?",
         "@SPACE": "(.(global|shared|const|param|local))?",
         "@CACHE": "(.(ca|cg|cs|lu|cv|nc|wb|wt))?"}

TABLE = r"""
mov.<T>                               ~unpack<{T}>(~pack<{T}>({1}), {0})
cp.async.(ca|cg).shared.global        ~cp_async({0:a}, {1:a}, {2}{3:,})
cp.async.commit_group                 simt_async_commit()
cp.async.wait_group                   simt_async_wait({0})
cp.async.wait_all                     simt_async_commit(), simt_async_wait(0)
cp.async.mbarrier.arrive.noinc.shared.b64  simt_async_arrive({0:b})
ldmatrix.sync(.m8n8)?.x<n:1|2|4>(.m8n8)?<trans?>.shared.b16
    unsigned r[4]; simt_ldmatrix_of(r, {1:a}, {trans}, {n}); ~results(r, {0})
stmatrix.sync.m8n8.x<n:1|2|4><trans?>.shared.b16
    const unsigned r[] = {1:w}; simt_stmatrix_of({0:a}, r, {trans}, {n})
mma.sync.m16n8k<k:4|8|16|32>.row.col.f32.<E>.<F>.f32
    float r[] = {3:f}; ~mma<{E}, {F}, {k}>(r, {1:w}, {2:w}); ~results(r, {0})
mma.sync.m16n8k<k:8|16>.row.col.f16.<E>.<F>.f16
    unsigned r[] = {3:w}; ~mma<{E}, {F}, {k}>(r, {1:w}, {2:w}); ~results(r, {0})
mma.sync.m16n8k<k:16|32>.row.col(.satfinite)?.s32.<E>.<F>.s32
    int r[] = {3:i}; ~mma<{E}, {F}, {k}>(r, {1:w}, {2:w}); ~results(r, {0})
wgmma.fence.sync                      simt_wgmma_fence()
wgmma.commit_group.sync               simt_wgmma_commit()
wgmma.wait_group.sync                 simt_wgmma_wait({0})
wgmma.mma_async.sync.m64n<n:\d+>k<k:8|16|32>.f32.<E>.<F>
    ~wgmma<{E}, {F}, {n}, {k}>({0:&}, {1:d}, {2}, {3}, {4}, {5}{6:,}{7:,})
setmaxnreg.inc.sync.u32               simt_setmaxnreg({0}, true)
setmaxnreg.dec.sync.u32               simt_setmaxnreg({0}, false)
mbarrier.init.shared.b64              simt_mbarrier_init({0:b}, {1})
mbarrier.inval.shared.b64             simt_mbarrier_inval({0:b})
mbarrier.arrive@ORDER.shared.b64      ~arrive({0}, {1:b}{2:,})
mbarrier.arrive.expect_tx@ORDER.shared.b64
    ~arrive_expecting({0}, {1:b}, {2})
mbarrier.expect_tx@ORDER.shared.b64   simt_mbarrier_expect({0:b}, {1})
mbarrier.(try|test)_wait(.parity)?@ORDER.shared.b64
    ~put({0}, bool(simt_mbarrier_try_wait({1:b}, {2})))
cp.async.bulk.shared.global.mbarrier::complete_tx::bytes
    simt_bulk_load({0:a}, {1:a}, {2}, {3:b})
cp.async.bulk.global.shared.bulk_group
    simt_bulk_store({0:a}, {1:a}, {2})
cp.async.bulk.tensor.[1-5]d.shared.global.mbarrier::complete_tx::bytes
    ~tensor_load({0:a}, {1:a}, {1:c}, {2:b})
cp.async.bulk.tensor.[1-5]d.global.shared.bulk_group
    ~tensor_store({0:a}, {0:c}, {1:a})
cp.async.bulk.commit_group            simt_bulk_commit()
cp.async.bulk.wait_group(.read)?      simt_bulk_wait({0})
(prefetch|prefetchu|griddepcontrol|cp.async.bulk.prefetch).[\w.:]+  (void)0
createpolicy.[\w.:]+                  ~put({0}, 0u)
fence.proxy.async(.shared)?           simt_fence_async_proxy()
fence.proxy.async.global              (void)0
fence.mbarrier_init.release.cluster   simt_fence_mbarrier_init()
(fence|membar)(.acq_rel|.sc)?.cta     simt_fence(1)
(fence|membar)@ORDER(.gl)?            simt_fence(0)
(bar|barrier)(.cta)?.sync             ~bar_sync({0}{1:,})
(bar|barrier)(.cta)?.arrive           simt_barrier_arrive({0}, {1})
bar.warp.sync                         simt_syncwarp({0})
shfl.sync.<m:up|down|bfly|idx>.b32
    bool p; ~put({0}, ~shfl_{m}({1:w}, {2}, {3}, {4}, p)); {0:|}
vote.sync.ballot.b32                  ~put({0}, simt_ballot({2}, {1}))
vote.sync.<m:any|all>.pred            ~put({0}, __{m}_sync({2}, {1}) != 0)
redux.sync.<m:add|min|max|and|or|xor>.<T>
    ~put({0}, __reduce_{m}_sync({2}, {1:T}))
activemask.b32                        ~put({0}, simt_active_lanes())
elect.sync
    const unsigned i = __ffs({1}) - 1; const bool p = i == simt_lane(); \
    ~put({0}, i); {0:|}
cvta.to.shared.u(32|64)               ~put({0}, simt_shared_offset({1:a}))
cvta.shared.u64                       ~put({0}, (uint64_t){1:a})
cvta(.to)?.(global|const|param|local).u64  ~put({0}, {1})
ld(.<q:volatile|relaxed|acquire>)?@SCOPE@SPACE@CACHE(.v[248])?.<T>
    {T} r[{0:#}]; ~load_{q}(r, {1:a}); ~results(r, {0})
st(.<q:volatile|relaxed|release>)?@SCOPE@SPACE@CACHE(.v[248])?.<T>
    const {T} r[] = {1:t}; ~store_{q}(r, {0:a})
atom@ORDER@SPACE.cas.<T>
    ~put({0}, atomicCAS(static_cast<{T} *>({1:a}), {2:T}, {3:T}))
atom@ORDER@SPACE.<m:add|min|max|and|or|xor|exch>.<T>
    ~put({0}, ~atomic_{m}({1:a}, {2:T}))
red@ORDER@SPACE.<m:add|min|max|and|or|xor>.<T>  ~atomic_{m}({0:a}, {1:T})
<o:add|sub|mul|div|rem|and|or|xor>(.(rn|lo))?.<T>
    ~put({0}, static_cast<{T}>({1:T} {o} {2:T}))
mul.wide.<T>                          ~put({0}, ~wide({1:T}) * {2:T})
mul.hi.<T>                            ~put({0}, ~wide({1:T}) * {2:T} >> 32)
mad.wide.<T>                          ~put({0}, ~wide({1:T}) * {2:T} + {3})
(mad.lo|fma|fma.rn).<T>               ~put({0}, ~fused({1:T}, {2:T}, {3:T}))
<m:min|max>.<T>                       ~put({0}, ~{m}imum({1:T}, {2:T}))
<m:shl|shr>.<T>                       ~put({0}, ~{m}({1:T}, {2}))
neg.<T>                               ~put({0}, static_cast<{T}>(-{1:T}))
not.pred                              ~put({0}, !{1})
not.<T>                               ~put({0}, static_cast<{T}>(~{1:T}))
abs.<T>                               ~put({0}, ~absolute({1:T}))
<m:ex2|lg2|rcp|rsqrt|sqrt|sin|cos|tanh>(.rn)?.<T:f32>  ~put({0}, ~{m}({1:T}))
ex2.<T:f16x2>                         ~put({0}, h2exp2({1:T}))
setp.<o:eq|ne|lt|le|gt|ge|lo|ls|hi|hs>.<T>  ~put({0}, {1:T} {o} {2:T})
setp.<o:eq|ne|lt|le|gt|ge|lo|ls|hi|hs>.<also:and|or|xor>.<T>
    ~put({0}, ({1:T} {o} {2:T}) {also} {3})
bfe.u32
    ~put({0}, {1} >> {2} & ((1ull << {3}) - 1))
selp.<T>                              ~put({0}, {3} ? {1:T} : {2:T})
cvt.rn.satfinite.<E>x2.<T:f32>        ~put({0}, ~codes<{E}>({2:T}, {1:T}))
cvt.rn.satfinite.<E>x2.<T:f16x2>      ~put({0}, ~codes<{E}>({1:T}))
cvt.rn.f16x2.<E>x2                    ~put({0}, ~widened<{E}>({1:w}))
cvt.rn.f16x2.<T:f32>                  ~put({0}, __floats2half2_rn({2:T}, {1:T}))
cvt.rn.bf16x2.<T:f32>
    ~put({0}, __floats2bfloat162_rn({2:T}, {1:T}))
cvt.rna.tf32.<T:f32>
    ~put({0}, (__float_as_uint({1:T}) + 0x1000u) & ~0x1fffu)
cvt(.<r:rn|rz|rni|rzi|rmi|rpi>)?.<T>.<S>  ~put({0}, ~convert<{T}>({1:S}, "{r}"))
prmt.<T:b32>
    ~put({0}, ~prmt({1:T}, {2:T}, {3:T}))
lop3.<T:b32>                          ~put({0}, ~lop3({1:T}, {2:T}, {3:T}, {4}))
popc.<T:b32>                          ~put({0}, __popc({1:T}))
clz.<T:b32>                           ~put({0}, __clz({1:T}))
brev.<T:b32>                          ~put({0}, __brev({1:T}))
nanosleep.u32                         simt_spin()
trap                                  simt_trap()
bra                                   goto {0}
"""


class Unknown(Exception):
    """What the executor does not know."""


def pattern_of(text):
    for name, of in SHORT.items():
        text = text.replace(name, of)
    text = re.sub(r"(?<![\\\w\[])\.|(?<=\w)\.", r"\.", text)
    for name, of in (("T", TYPES), ("S", TYPES), ("E", ELEMENTS),
                     ("F", ELEMENTS)):
        text = text.replace(f"<{name}>", f"<{name}:{'|'.join(of)}>")
    text = re.sub(r"<(\w+)\?>", r"(?P<flag_\1>\.\1)?", text)
    return re.compile(re.sub(r"<(\w+):([^>]+)>", r"(?P<\1>\2)", text))


ROWS = [(pattern_of(pattern), call.strip()) for pattern, call in re.findall(
    r"^(\S+)(?:  +|\n    )(\S.*)$", TABLE.replace("\\\n", ""), re.M)]


def value(text):
    """A register, a number, or a name."""
    text = text.strip()
    if text[:1] == "!":
        return f"!{value(text[1:])}"
    if re.fullmatch(r"%\d+", text):
        return f"simt_{text[1:]}"
    if text == "_":
        return "::simt::ptx::none"
    if number := re.fullmatch(r"0([fFdD])([0-9a-fA-F]{8,16})", text):
        return (f"::simt::ptx::as<{'double' if number[1] in 'dD' else 'float'}>"
                f"(0x{number[2]}{'ull' if number[1] in 'dD' else 'u'})")
    if re.fullmatch(r"[+-]?\.?\d[\w.]*", text):
        return text
    register, _, member = text.lstrip("%").partition(".")
    if text[:1] == "%" and register in REGISTERS:
        return REGISTERS[register] + (f".{member}" if member else "")
    if not re.fullmatch(r"[%$\w]+", text):
        raise Unknown(f"operand {text}")
    return local(text)


def local(name):
    return "ptx_" + re.sub(r"\W", "_", name)


def split(text):
    """At the commas that are in no brackets."""
    return re.findall(r"(?:\{[^}]*\}|\[(?:\{[^}]*\}|[^\]])*\]|[^,])+", text)


class Operand:
    def __init__(self, text=""):
        text = text.strip()
        self.given = bool(text)
        text, _, bar = text.partition("|")
        self.behind = value(bar) if bar else None
        self.braces = text[:1] == "{"
        text = text.strip()
        if text[:1] == "[":
            text = text[1:-1]
        first, *rest = [text] if self.braces else split(text) or [""]
        self.coordinates = rest[0].strip(" {}") if rest else ""
        first, plus, offset = first.partition("+")
        self.offset = value(offset) if plus else "0"
        self.parts = [value(part) for part in first.strip(" {}").split(",")
                      if part.strip()]

    def told(self, how, types):
        parts = self.parts
        if how == "a":
            return f"::simt::ptx::address({parts[0]}, {self.offset})"
        if how == "b":
            return f"static_cast<uint64_t *>({self.told('a', types)})"
        if how == "c":
            return braces([value(c) for c in self.coordinates.split(",")],
                          "int")
        if how == "|":
            return self.behind and f"::simt::ptx::put({self.behind}, p)" or ""
        if how == ",":
            return f", {', '.join(parts)}" if self.given else ""
        if how in "TS":
            return f"::simt::ptx::as<{types[how]}>({parts[0]})"
        if how == "#":
            return str(len(parts))
        if how == "d" and not self.braces:
            return f"uint64_t({parts[0]})"
        if how in "&d":
            cast = "(const unsigned *)" if how == "d" else ""
            return "{" + ", ".join(f"{cast}&{part}" for part in parts) + "}"
        return braces(parts, {"w": "unsigned", "f": "float", "i": "int",
                              "t": types.get("T")}[how])


def braces(parts, kind):
    return "{" + ", ".join(f"::simt::ptx::as<{kind}>({p})" for p in parts) + "}"


def instruction(name, operands):
    plain = IGNORED.sub("", re.sub(r"(\.shared)::(?:cta|cluster)", r"\1", name))
    for pattern, call in ROWS:
        if found := pattern.fullmatch(plain):
            break
    else:
        raise Unknown(f"PTX instruction {name}")
    groups = found.groupdict()
    maps = {"T": TYPES, "S": TYPES, "E": ELEMENTS, "F": ELEMENTS, "o": SIGNS,
            "also": SIGNS}
    words = {name: maps[name][of] if name in maps and of else of or ""
             for name, of in groups.items()}
    for flag in [name for name in words if name.startswith("flag_")]:
        words[flag[5:]] = "true" if words[flag] else "false"

    def field(match):
        if not match[1].isdigit():
            return words[match[1]]
        place = int(match[1])
        operand = operands[place] if place < len(operands) else Operand()
        if not operand.parts and match[2] != ",":
            raise Unknown(f"PTX instruction {name} with so few operands")
        return (operand.told(match[2], words) if match[2] else
                ", ".join(operand.parts))
    call = re.sub(r"\{(\w+)(?::(.))?\}", field, call)
    call = re.sub(r"~(?=[a-z])", "::simt::ptx::", call)
    if re.search(r"\.ftz\b", name):
        call = call.replace("::put(", "::put_flushed(").replace(
            "::as<float>(", "::flushed<float>(")
    return call


def refusal(what):
    what = re.sub(r'[\s"\\]+', " ", str(what))
    return f'static_assert(false, "the executor has no {what}")'


def statements(text):
    """Of PTX: {, }, "label:", and instructions; with the blanks before each."""
    text = re.sub(r"//[^\n\v]*|/\*.*?\*/", " ", text, flags=re.S)
    return re.findall(r"(\s*)([{}]|[$%\w]+\s*:(?!:)|"
                      r"(?![{};\s])(?:\{[^}]*\}|[^;{}])+;?|;|$)", text)


def translate(text, operands=""):
    """The statements of C++ for the text of one asm, after those that declare
    its operands, simt_0 and so on. A new line of the program is a \\v in both.
    """
    made, labels = [], []
    for blanks, part in statements(text):
        made.append("\v" * blanks.count("\v"))
        lines = "\v" * part.count("\v")
        part = part.replace("\v", "").strip("; \n")
        if part in ("{", "}", ""):
            made.append(part)
        elif part[-1] == ":":
            labels.append(local(part[:-1].strip()))
            made.append(f"{labels[-1]}: ;")
        elif declared := re.fullmatch(r"\.reg\s+\.(\w+)\s+(.*)", part, re.S):
            if declared[1] not in TYPES:
                raise Unknown(f"PTX register of type .{declared[1]}")
            names = [local(n.strip()) for n in declared[2].split(",")]
            made.append(f"{TYPES[declared[1]]} {', '.join(names)};")
        else:
            guard, name, rest = re.fullmatch(
                r"(@!?[%$\w]+)?\s*(\S+)(.*)", part, re.S).groups()
            try:
                call = instruction(name, [Operand(o) for o in split(rest)])
                guard = f"if ({value(guard[1:])}) " if guard else ""
            except Unknown as what:
                call, guard = refusal(what), ""
            made.append(f"{guard}{{ {call}; }}")
        made.append(lines)
    start = f"__label__ {', '.join(labels)}; " if labels else ""
    return start + operands + " ".join(made)
