"""What each wrapper's instruction must be. Shapes, counts of registers and
constraints follow from the wrapper's name and signature; what they cannot say
stands in ROWS. The source is the PTX ISA, at the instruction's name."""

import re
from itertools import product

from ptx.wrappers import Asm

WARP, WARPGROUP = 32, 128
REGISTER_BITS = 32
# All products read 256 bits of a row of A: "Matrix Shape".
PRODUCT_BITS = 256
TYPE_OF_BITS = {16: "f16", 8: "e4m3"}

# Wrapper: whether it reads, writes or orders memory, so that the compiler may
# move no access across it; and the instruction, with the wrapper's parameters.
ROWS = {
    # Two E4M3 codes are 16 bits. `mov` gives the lower ones first.
    "widen_low": (False, "mov.b32 {$0, $1}, codes",
                  "cvt.rn.f16x2.e4m3x2 =r return, $0"),
    "widen_high": (False, "mov.b32 {$0, $1}, codes",
                   "cvt.rn.f16x2.e4m3x2 =r return, $1"),
    # .ftz: the twin's results below 2^-126 are 0.
    "exp2_approx": (False, "ex2.approx.ftz.f32 =f return, x"),
    # Objects of 64 bits in shared memory. An arrival without .noinc
    # would first raise the count that mbarrier_init has set.
    "mbarrier_init": (True, "mbarrier.init.shared.b64 [barrier], count"),
    "mbarrier_arrive": (True, "mbarrier.arrive.shared.b64 =l state, [barrier]"),
    "mbarrier_arrive_after_copies": (
        True, "cp.async.mbarrier.arrive.noinc.shared.b64 [barrier]"),
    "mbarrier_try_wait": (
        True, "mbarrier.try_wait.parity.shared.b64 $0, [barrier], parity",
        "selp.u32 =r return, 1, 0, $0"),
    "mbarrier_arrive_expecting": (
        True, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], bytes"),
    # The count of threads is no option: others only arrive.
    "named_barrier_sync": (True, "bar.sync id, threads"),
    "named_barrier_arrive": (True, "bar.arrive id, threads"),
    # A special register. It is read where it stands between accesses.
    "global_timer": (True, "mov.u64 =l return, %globaltimer"),
    # The coordinates of [batch][head][row][byte], the
    # fastest first.
    "tma_prefetch": (True, "prefetch.tensormap [map]"),
    "tma_load": (True, "cp.async.bulk.tensor.4d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes [tile], "
                 "[map, {r 0, row, head, batch}], [barrier]"),
    # Between ordinary stores and what TMA and wgmma read and write.
    "fence_async_proxy": (True, "fence.proxy.async.shared::cta"),
    "wgmma_fence": (True, "wgmma.fence.sync.aligned"),
    "wgmma_commit": (True, "wgmma.commit_group.sync.aligned"),
    "wgmma_wait": (True, "wgmma.wait_group.sync.aligned n LEFT"),
    "fewer_registers": (False, "setmaxnreg.dec.sync.aligned.u32 n COUNT"),
    "more_registers": (False, "setmaxnreg.inc.sync.aligned.u32 n COUNT"),
}
# Where there is more than the statement, or none.
AROUND = {
    "mbarrier_wait": "while(!mbarrier_try_wait(barrier,parity)){}",
    # c's other uses stay behind the fence, and before the end of the wait.
    "wgmma_fence": "wgmma_keep(c);asm;",
    "wgmma_wait": "asm;wgmma_keep(c);",
}
# Held by their values (model.py), or by tests/device: no PTX.
NO_PTX = {"accumulator_row", "accumulator_column", "tensor_map_encoder",
          "tensor_map", "wgmma_tile_at", "wgmma_further"}
# On GPUs that lack the instruction.
BEFORE = {
    "widen_low": (890, None), "widen_high": (890, None),
    "mma_m16n8k32": (890, None),
    "mbarrier_try_wait": (900, (
        True, "mbarrier.test_wait.parity.shared.b64 $0, [barrier], parity",
        "selp.u32 =r return, 1, 0, $0")),
}


def bound(name, parameters):
    """A parameter as an operand: which constraint its type needs."""
    type_of = parameters[name].replace("const ", "")
    if type_of.startswith("CUtensorMap&"):
        return f"l &{name}"  # a generic address, 64 bits
    if "*" in type_of:
        return f"r shared({name})"  # of shared memory, 32 bits
    if type_of.startswith("bool"):
        return f"r static_cast<int>({name})"
    letter = {"float": "f", "unsigned": "r", "int": "r", "uint64_t": "l",
              "wgmma_tile": "l"}[type_of.split()[0]]
    return f"{letter} {name}"


def vector(letter, names):
    return "{" + ", ".join(f"{letter} {name}" for name in names) + "}"


def registers(elements, bits, threads):
    return elements * bits // (threads * REGISTER_BITS)


def rows_of(name, count):
    return [f"{name}[{i}]" for i in range(count)]


def row(instructions, parameters):
    """Names of parameters become operands."""
    def one(text):
        opcode, _, operands = text.partition(" ")
        return f"{opcode} " + re.sub(
            r"\w+", lambda m: bound(m[0], parameters) if m[0] in parameters
            else m[0], operands) if operands else opcode
    return tuple(map(one, instructions))


def matrix(name):
    """A lane holds a register of each 8x8 matrix of halves,
    which has 64 elements of 16 bits."""
    load, count, trans = re.fullmatch(r"(ld|st)matrix_x(\d)(_trans)?",
                                      name).groups()
    per_matrix = registers(8 * 8, 16, WARP)
    held = vector("=r" if load == "ld" else "r",
                  rows_of("registers", int(count) * per_matrix))
    operands = [held, "[r shared(line)]"]
    if load == "st":
        operands.reverse()
    return (f"{load}matrix.sync.aligned.m8n8.x{count}"
            f"{'.trans' if trans else ''}.shared.b16 {', '.join(operands)}",)


def mma(name):
    """D = A * B + C; C is D. A's rows and B's columns lie along k."""
    m, n, k = map(int, re.findall(r"\d+", name))
    bits = PRODUCT_BITS // k
    d = vector("+f", rows_of("d", registers(m * n, 32, WARP)))
    a = vector("r", rows_of("a", registers(m * k, bits, WARP)))
    b = vector("r", [f"b{i}" for i in range(registers(n * k, bits, WARP))])
    of = TYPE_OF_BITS[bits]
    return (f"mma.sync.aligned.m{m}n{n}k{k}.row.col.f32.{of}.{of}.f32 "
            f"{d}, {a}, {b}, {d}",)


def wgmma(name, parameters):
    """D = A * B + D where scale-d, else A * B; neither is negated.
    E4M3 has no transposition: both lie along k."""
    m, k = map(int, re.match(r"wgmma_m(\d+)k(\d+)", name).groups())
    n = int(re.search(r"\[(\d+)/8\]", parameters["c"])[1])
    bits = PRODUCT_BITS // k
    count = registers(m * n, 32, WARPGROUP)
    d = vector("+f", [f"c[{i // 4}][{i % 4}]" for i in range(count)])
    a = bound("a", parameters) if "wgmma_tile" in parameters["a"] else vector(
        "r", rows_of("a", registers(m * k, bits, WARPGROUP)))
    of = TYPE_OF_BITS[bits]
    return (f"setp.ne.b32 $0, {bound('accumulate', parameters)}, 0",
            f"wgmma.mma_async.sync.aligned.m{m}n{n}k{k}.f32.{of}.{of} "
            f"{d}, {a}, {bound('b', parameters)}, $0, 1, 1")


def statement(name, parameters, arch):
    """The one asm statement of that wrapper, or None."""
    least, before = BEFORE.get(name, (0, None))
    if name in NO_PTX or name == "mbarrier_wait" or (arch < least and
                                                     not before):
        return None
    if name.startswith(("ldmatrix", "stmatrix")):
        memory, instructions = True, matrix(name)
    elif name.startswith("mma"):
        memory, instructions = False, mma(name)
    elif name.startswith("wgmma_m"):
        # Its reads of memory lie between the fence and the wait, which no
        # access crosses.
        memory, instructions = False, wgmma(name, parameters)
    else:
        memory, *lines = before if arch < least else ROWS[name]
        instructions = row(lines, parameters)
    # What other threads take part in is never moved or left out, either.
    together = any(".sync" in line for line in instructions)
    return Asm(instructions, memory or together, ("memory",) * memory)


def keeps_all(wrapper):
    """Does wgmma_keep touch each element of c[COUNT][4] once?"""
    count, at = 3, wrapper.statements and re.fullmatch(
        r"\+f c\[(.*)\]\[(.*)\]", wrapper.statements[0].instructions[0])
    loop = re.fullmatch(r"for\(int i=0;i<(.*);i\+\+\)asm;", wrapper.around)
    if not at or not loop:
        return False
    def value(text, i=0):
        return eval(text.replace("/", "//"), {"i": i, "COUNT": count})
    return sorted((value(at[1], i), value(at[2], i)) for i in
                  range(value(loop[1]))) == sorted(product(range(count),
                                                           range(4)))


def unlike(found, wanted):
    """The first place where two instructions part."""
    found, wanted = found.split(" "), wanted.split(" ")
    for f, w in zip(found, wanted):
        if f != w:
            return f"{f} where {w} is declared, in {found[0]}"
    return f"{len(found)} words, and not {len(wanted)}, in {found[0]}"


def differences(name, wrapper, arch):
    """Sentences about one wrapper."""
    if name == "wgmma_keep":
        good = keeps_all(wrapper) and wrapper.statements[0][1:] == (
            True, ("memory",))
        return [] if good else [f"{name}: not all of c is kept in place"]
    base = name.split()[0]
    if base not in {*ROWS, *AROUND, *NO_PTX} and not re.match(
            "(ld|st)matrix_x|mma_m|wgmma_m", base):
        return [f"{name}: is not declared"]
    wanted = statement(base, wrapper.parameters, arch)
    if len(wrapper.statements) != (wanted is not None):
        return [f"{name}: {len(wrapper.statements)} asm statements"]
    said = []
    if wanted:
        found = wrapper.statements[0]
        said += [unlike(f, w) for f, w in zip(
            found.instructions, wanted.instructions) if f != w]
        if len(found.instructions) != len(wanted.instructions):
            said.append(f"{len(found.instructions)} instructions, and not "
                        f"{len(wanted.instructions)}")
        if found.volatile != wanted.volatile:
            said.append(f"volatile is {found.volatile}")
        if found.clobbers != wanted.clobbers:
            said.append(f"clobbers {found.clobbers}, and not "
                        f"{wanted.clobbers}")
    around = AROUND.get(base, "asm;" if wanted else None)
    if around and wrapper.around != around:
        said.append(f"{wrapper.around} and not {around}")
    return [f"{name}: {sentence}" for sentence in said]
