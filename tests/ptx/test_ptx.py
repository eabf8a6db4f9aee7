"""A kernel's PTX is compiled for GPUs only, so the executor and all its checks
pass over a mistake there. Each wrapper's text is held against what its name and
signature make of it (declared.py); tiles and their swizzles against the manuals
(model.py); and mistakes planted in the text are named, each at its wrapper."""

import re

import pytest

from ptx import declared, model, wrappers
from support import ROOT

FOLDER = ROOT / "common/device/ptx"
TEXTS = {path.name: path.read_text() for path in FOLDER.glob("*.cuh")}
MODELLED = "wgmma_tile_at", "wgmma_further", "tensor_map"


def differences(texts):
    """Sentences, each of which begins with the wrapper's name."""
    found = {}
    for text in texts.values():
        found.update(wrappers.read(text))
    said = [s for name in found
            for s in declared.differences(name, found[name], 900)]
    for text in texts.values():
        for arch in (800, 890):
            older = wrappers.read(text, arch)
            said += [s for name in older if name.split()[0] in declared.BEFORE
                     for s in declared.differences(name, older[name], arch)]
    if any(s.startswith("tma_load") for s in said):
        return said
    load = found["tma_load"].statements[0].instructions[0]
    coordinates = re.search(r"\{(.*)\}", load)[1].split(", ")
    return said + model.differences(
        "\n".join(found[name].source for name in MODELLED),
        tuple(c.split()[1] for c in coordinates))


def test_every_wrapper_is_as_declared():
    assert differences(TEXTS) == []


def test_every_declaration_has_its_wrapper():
    names = {name.split()[0] for text in TEXTS.values()
             for name in wrappers.read(text)}
    assert {*declared.ROWS, *declared.AROUND, *declared.NO_PTX} <= names


def test_no_ptx_stands_elsewhere_in_what_kernels_include():
    for path in [*ROOT.glob("stage*/kernel.cu"), *ROOT.glob(
            "further/*/kernel.cu"), *ROOT.glob("libfp8attention/*.c*"),
                 *(ROOT / "common/device").rglob("*.cu*")]:
        if path.parent != FOLDER:
            # An empty statement only tells the compiler something.
            assert not re.search(r'\basm\b(?! volatile\("")',
                                 path.read_text()), path


# File, the text, what it becomes; the wrapper that is named.
PLANTED = [
    # modifiers
    ("ldmatrix", ".x4.trans.shared", ".x4.shared", "ldmatrix_x4_trans"),
    ("ldmatrix", "m8n8.x4.shared", "m8n8.x4.trans.shared", "ldmatrix_x4"),
    ("stmatrix", "x4.shared", "x4.trans.shared", "stmatrix_x4"),
    ("wgmma", "f32.e4m3.e4m3", "f32.e5m2.e4m3", "wgmma_m64k32"),
    ("mma", "f32.e4m3.e4m3", "f32.e4m3.e5m2", "mma_m16n8k32"),
    ("mma", "m16n8k16.row.col.f32.f16.f16.f32",
     "m16n8k16.row.col.f32.bf16.bf16.f32", "mma_m16n8k16"),
    ("e4m3", "cvt.rn.f16x2.e4m3x2 %0, low", "cvt.rn.f16x2.e5m2x2 %0, low",
     "widen_low"),
    ("exp2", "approx.ftz", "approx", "exp2_approx"),
    ("mbarrier", ".noinc", "", "mbarrier_arrive_after_copies"),
    ("mbarrier", "try_wait.parity", "test_wait.parity", "mbarrier_try_wait"),
    ("mbarrier", "test_wait.parity", "try_wait.parity", "mbarrier_try_wait"),
    ("named_barrier", "bar.arrive", "bar.sync", "named_barrier_arrive"),
    ("tma", "fence.proxy.async.shared::cta", "fence.proxy.async.global",
     "fence_async_proxy"),
    ("tma", "expect_tx", "complete_tx", "mbarrier_arrive_expecting"),
    ("wgmma", "setmaxnreg.dec", "setmaxnreg.inc", "fewer_registers"),
    ("timer", "globaltimer", "clock64", "global_timer"),
    ("e4m3", ">= 890", ">= 900", "widen_"),
    ("mbarrier", ">= 900", ">= 800", "mbarrier_try_wait"),
    # operands
    ("wgmma", "add, 1, 1;", "add, 1, -1;", "wgmma_m64k32"),
    ("wgmma", "add, 1, 1;", "add, -1, 1;", "wgmma_m64k32"),
    ("wgmma", "setp.ne.b32", "setp.eq.b32", "wgmma_m64k32"),
    ("wgmma", '"l"(a), "l"(b)', '"l"(b), "l"(a)', "wgmma_m64k32"),
    ("wgmma", "%12, %13", "%13, %12", "wgmma_m64k32"),
    ("wgmma", '"{%64, %65, %66, %67}, %68"', '"{%65, %64, %66, %67}, %68"',
     "wgmma_m64k32"),
    ("wgmma", "WGMMA_16(n), WGMMA_16(n + 4)", "WGMMA_16(n + 4), WGMMA_16(n)",
     "wgmma_m64k32"),
    ("wgmma", '"n"(LEFT)', '"n"(LEFT + 1)', "wgmma_wait"),
    ("wgmma", 'wait_group.sync.aligned %0;" ::"n"(LEFT)',
     'wait_group.sync.aligned 1;" :', "wgmma_wait"),
    ("mma", "{%8, %9}, {%0", "{%9, %8}, {%0", "mma_m16n8k16"),
    ("mma", '"r"(a[1]), "r"(a[2])', '"r"(a[2]), "r"(a[1])', "mma_m16n8k32"),
    ("mma", '"+f"(d[0])', '"=f"(d[0])', "mma_m16n8k16"),
    ("ldmatrix", '"=r"(registers[2]),\n                 "=r"(registers[3])',
     '"=r"(registers[3]),\n                 "=r"(registers[2])', "ldmatrix_x4"),
    ("e4m3", "%0, high", "%0, low", "widen_high"),
    ("mbarrier", '"r"(address), "r"(count)', '"r"(count), "r"(address)',
     "mbarrier_init"),
    ("named_barrier", '"r"(id), "r"(threads)', '"r"(threads), "r"(id)',
     "named_barrier_sync"),
    ("tma", "{%3, %4, %5, %6}", "{%3, %4, %6, %5}", "tma_load"),
    ("tma", '"r"(counts), "r"(0)', '"r"(to), "r"(0)', "tma_load"),
    ("mbarrier", "__cvta_generic_to_shared(barrier)",
     "static_cast<unsigned>(reinterpret_cast<uintptr_t>(barrier))",
     "mbarrier_arrive"),
    # descriptors and maps
    ("wgmma", "ROW_BYTES == 128 ? 1 : 2", "ROW_BYTES == 128 ? 2 : 1",
     "wgmma_tile_at"),
    ("wgmma", "swizzle << 62", "swizzle << 61", "wgmma_tile_at"),
    ("wgmma", "eight_rows = 8 *", "eight_rows = 16 *", "wgmma_tile_at"),
    ("wgmma", "eight_rows >> 4 << 32", "eight_rows >> 4 << 16",
     "wgmma_tile_at"),
    ("wgmma", "0x3ffff", "0x1ffff", "wgmma_tile_at"),
    ("wgmma", "bytes >> 4", "bytes >> 5", "wgmma_further"),
    ("tma", "row_bytes == 64 ? CU", "row_bytes != 64 ? CU", "tensor_map"),
    ("tma", "SWIZZLE_128B", "SWIZZLE_NONE", "tensor_map"),
    ("tma", "FILL_NONE", "FILL_NAN_REQUEST_ZERO_FMA", "tensor_map"),
    ("tma", "INTERLEAVE_NONE", "INTERLEAVE_16B", "tensor_map"),
    ("tma", "TYPE_UINT8", "TYPE_UINT16", "tensor_map"),
    ("tma", "(tile_rows), 1, 1}", "(tile_rows) - 1, 1, 1}", "tensor_map"),
    ("tma", "(strides.row)", "(row_bytes)", "tensor_map"),
    ("tma", "every[4] = {1, 1,", "every[4] = {1, 2,", "tensor_map"),
    ("tma", "static_cast<uint64_t>(rows)", "static_cast<uint64_t>(rows + 1)",
     "tensor_map"),
    # what orders memory, for the compiler and for the hardware
    ("wgmma", 'fence.sync.aligned;" ::: "memory"', 'fence.sync.aligned;"',
     "wgmma_fence"),
    ("wgmma", 'asm volatile("wgmma.fence.sync.aligned;" ::: "memory");', "",
     "wgmma_fence"),
    ("wgmma", 'commit_group.sync.aligned;" ::: "memory"',
     'commit_group.sync.aligned;"', "wgmma_commit"),
    ("wgmma", '"n"(LEFT) : "memory"', '"n"(LEFT)', "wgmma_wait"),
    ("wgmma", "#endif\n  wgmma_keep(c);\n", "#endif\n", "wgmma_wait"),
    ("wgmma", "  wgmma_keep(c);\n#ifdef", "#ifdef", "wgmma_fence"),
    ("wgmma", "i < 4 * COUNT", "i < 2 * COUNT", "wgmma_keep"),
    ("wgmma", '[i % 4])::"memory")', "[i % 4]))", "wgmma_keep"),
    ("tma", 'asm volatile("fence', 'asm("fence', "fence_async_proxy"),
    ("tma", 'shared::cta;" ::: "memory"', 'shared::cta;"', "fence_async_proxy"),
    ("tma", '"r"(batch)\n      : "memory"', '"r"(batch)', "tma_load"),
    ("stmatrix", '\n               : "memory"', "", "stmatrix_x4"),
    ("named_barrier", 'asm volatile("bar.arrive', 'asm("bar.arrive',
     "named_barrier_arrive"),
    ("mma", "asm volatile(", "asm(", "mma_m16n8k16"),
]


@pytest.mark.parametrize("file, old, new, name", PLANTED)
def test_a_planted_mistake_is_named(file, old, new, name):
    text = TEXTS[f"{file}.cuh"]
    assert old in text, "the header has changed: plant it anew"
    # The first place, or the one in the wrapper that is to be named
    start = text.find(f" {name}(")
    at = text.find(old, max(start, 0))
    at = text.find(old) if at < 0 else at
    said = differences({**TEXTS, f"{file}.cuh": text[:at] + new +
                        text[at + len(old):]})
    assert said and all(s.startswith(name) for s in said), said
