"""The experiments, each a function: see fooled.py."""

import re

from fooled import needs, surprise
from support import ROOT, folder_of, stage

from recorded import text_of

RESULTS = re.search(r"^results: (.*)$", (ROOT / "chapters/book.yaml")
                    .read_text(), re.M)[1]
NO_NVCC = "There is no nvcc 12.8 or newer"
BOOK = ("BOOK_FORMATS=html book/build.py book tests/book/sample "
        "build/sample-book")
SETTINGS = "common/harness/settings.json"
IMPOSTORS = ("make -s build/tests/impostors && "
             "tests/impostors/compare.py mission normal")


def kernel(number):
    return folder_of(stage(number)) + "/kernel.cu"


def changed(tree, path, old, new, to=None):
    """A pattern that is there is replaced, in a file or in a copy of it; a
    record may lie in a pack."""
    text = text_of(path) if path.startswith("results/") else tree.read(path)
    text, times = re.subn(old, new, text)
    assert times, (path, old)
    tree.write(to or path, text)
    return to or path


def another_kernel(here):
    """A speed-up between two kernels, devices or shapes of one name."""
    needs("command -v node", "There is no node")
    run = f"{RESULTS}/stage2/stage2_wmma_pv.json"
    other = changed(here, run, '"name": ?"NVIDIA H200"', '"name": "NVIDIA L4"',
                    "build/device.json")
    here.refuses(f"tools/compare/compare.py {other} {run}", "name is")
    other = changed(here, run, r'("mission": \{[^[]*\[\s*)1(,\s*8,\s*)512,',
                    r"\g<1>2\g<2>256,", "build/shape.json")
    here.refuses(f"tools/compare/compare.py {other} {run}", "shape of mission")
    print()
    there = here.copied()
    there.accepts(BOOK, "The book is in")
    there.plant("tests/book/sample/stage0_first/kernel.cu",
                "helper: return 2.0f", "write return x + x;")
    there.refuses(BOOK, "measured with another kernel")


def dead_toggle(here):
    """A toggle that never reaches the compiler, in three ways."""
    needs("tools/setup/cuda-home.sh", NO_NVCC)
    there = here.copied()
    code_differs = f"tests/machine-code/changes_code.py {stage(1)}"
    prefetch = "make stage1 check USE_PREFETCH=1 TARGET=cpu SHAPES=small"
    there.refuses("USE_CP_ASYNC=0 make stage1 check TARGET=cpu",
                  "The environment sets USE_CP_ASYNC")
    there.refuses("make stage1 check USE_PERSISTENT_CTA=1 TARGET=cpu",
                  "has no toggle 'USE_PERSISTENT_CTA'")
    there.accepts(code_differs, "^ok")
    there.plant(kernel(1), "toggles: #ifndef USE_CP_ASYNC",
                "before // toggle USE_PREFETCH: 0 1\n#ifndef USE_PREFETCH\n"
                "#define USE_PREFETCH 0\n#endif")
    there.refuses(prefetch, "never reached")
    there.plant(kernel(1), "launch: TOGGLE(DEBUG_PRINT)",
                'TOGGLE(DEBUG_PRINT) => TOGGLE(DEBUG_PRINT)\n    " " '
                "TOGGLE(USE_PREFETCH)")
    there.accepts(prefetch, "small .*passed")
    there.refuses(code_differs,
                  "^not ok.*USE_PREFETCH=1 is other machine code")


def exponential(here):
    """Two polynomials for it: theirs, and our own first one."""
    there = here.copied()
    header = "common/device/math/fast_exp.cuh"
    ours = there.read(header)
    run = "make -s build/tests/fast_exp && build/tests/fast_exp"
    there.accepts(run, "^ok .*e\\^0 is 1", "^ok", "^not ok")
    print("\nfifth degree around 0, arguments cut off at -10:")
    changed(there, header, r"(?s)(float fast_exp\([^)]*\) \{\n).*?\n\}", r"""\1\
  x = fmaxf(x, -10.0f);
  return 1 + x * (1 + x * (1 / 2.0f + x * (1 / 6.0f + x * (1 / 24.0f
    + x / 120))));
}""".replace("\\\n", ""))
    there.refuses(run, "^not ok .*relative error", "^ok", "^not ok")
    print("\nthe one that we had first:")
    there.write(header, ours)
    for old, new in (("0.05500876f", "0.055838283f"),
                     ("0.24221139f", "0.24263948f"),
                     ("0.69328302f", "0.69313675f"),
                     ("f + 1.0f", "f + 0.99992454f")):
        there.edit(header, old, new)
    there.refuses(run, "^not ok .*e\\^0 is 1", "^ok", "^not ok")
    check = ("make stage5 check USE_FAST_EXP=1 TARGET=cpu "
             "DISTRIBUTIONS=normal SHAPES=")
    there.accepts(check + "mission SEEDS=0", "mission .*passed", "^shape")
    there.refuses(check + "1,1,2048,64 SEEDS=0", "1,1,2048,64 .*FAILED")


def failed_attempt(here):
    """A kernel that was written wrongly has shown nothing about its idea: it
    is neither timed nor counted, and its result does not compare."""
    result = f"{RESULTS}/stage3/stage2_wmma_pv.json"
    wrong = changed(here, result, '"all_passed": ?true', '"all_passed": false',
                    "build/wrong.json")
    here.refuses(f"tools/compare/compare.py {result} {wrong}",
                 "no passed gates")
    print()
    there = here.copied()
    bench = "make stage3 bench TARGET=cpu SHAPES=small"
    there.accepts(bench, "^No GPU was used", "small  ")
    there.plant(kernel(3), "fused-exponentials: exchange[1 - side][row]",
                "remove")
    there.refuses(bench, "small .*FAILED")
    if "No GPU was used" in there.said:
        surprise("a wrong kernel was counted", there.said)


def one_tick(here):
    """A difference of one tick of the clock, and the ticks of two clocks."""
    run = f"{RESULTS}/stage3/stage3_fused_softmax.json"
    print("the earlier project's times, in steps of 1.024 us:")
    claims = here.json("results/original-l4/claims.json")["claims"]
    times = {claim["figures"].get(name) for claim in claims
             for name in ("before_us", "after_us")} - {None}
    for time in sorted(t for t in times if t % 1):
        ticks = int(time / 1.024 + 0.5)
        fits = abs(time - ticks * 1.024) < 0.006
        print(f"  {time:8.2f} us = {ticks:4} ticks"
              f"{'' if fits else ', and not quite'}")
    here.accepts(f"tests/fooled/tick.py {run}", "multiples of 32 ns")
    print()
    for ticks, wanted in (1, "no difference"), (10, r" [\d.]+ % +1"):
        faster = changed(  # the medians between events
            here, run, r'("event": \{\n *"p50_us": )([\d.]+)',
            lambda m: f"{m[1]}{float(m[2]) - 0.032 * ticks:.14g}",
            f"build/faster-{ticks}.json")
        print(f"the same result, made {ticks} of our ticks faster:")
        here.accepts(f"tools/compare/compare.py {run} {faster}",
                     "mission +event .*" + wanted, "^shape")


def quantiser_bias(here):
    """An encoder that its decoder does not match, and gates loosened to fit
    it."""
    here.accepts("build/tests/linear_codes",
                 "signed mean within .*passed .*FAILED", ".")
    print()
    there = here.copied()
    check = ("make stage1 check TARGET=cpu SHAPES=mission "
             "DISTRIBUTIONS=normal")
    there.plant("common/harness/numbers.c",
                "*: round_bits(bits, 20)", "write const uint32_t steps = "
                "(bits + (sign ? 0 : 0xfffff)) >> 20;")
    there.refuses(check, "mission .*FAILED", "^shape")
    there.set_number(SETTINGS, "max_abs_err", "0.16")
    there.set_number(SETTINGS, "mean_abs_err", "0.04")
    there.accepts(check, "mission .*passed")
    there.refuses(IMPOSTORS, "^not ok.*mission, normal: half-step bias of the "
                  "encoder")
    there.refuses("make -s build/tests/against_cuda_test && "
                  "build/tests/against_cuda_test",
                  "^not ok.*floats encode alike")


def rotted_control(here):
    """A change for the new arm that breaks the old one, the control."""
    there = here.copied()
    control = " USE_FUSED_SOFTMAX=0 TARGET=cpu SHAPES=odd"
    there.accepts("make stage3 race" + control, "odd: 0 findings")
    there.plant(kernel(3), "unfused-softmax: 1st __syncthreads", "remove")
    there.accepts("make stage3 check TARGET=cpu SHAPES=odd", "odd .*passed")
    there.accepts("make stage3 race TARGET=cpu SHAPES=odd", "odd: 0 findings")
    there.refuses("make stage3 check" + control, "odd .*FAILED")
    there.most = 4
    there.refuses("make stage3 race" + control, "^race: ", "odd: ", "  here",
                  "  there")


def stack_frame(here):
    """An array that does not fit into registers: no spill, and a stack
    frame."""
    needs("tools/setup/cuda-home.sh", NO_NVCC)
    there = here.copied()
    resources = "make stage0 resources"
    there.accepts(resources, "default sm_90a .* 0 +0$", "^kernel")
    there.plant(kernel(0), "softmax-maximum: float s", """\
write float s_row[TILE_N], s[TILE_N / 4], m_new = m;
const int count = keys < TILE_N ? keys : TILE_N;
for (int n = 0; n < count; n++) s_row[n] = tile_p[row][n] * score_scale;""")
    there.plant(kernel(0), "softmax-maximum: s[i] =",
                "tile_p[row][key] * score_scale => s_row[key]")
    there.refuses(resources, "default sm_90a .*over budget: stack_bytes=0",
                  "^kernel")


def sure_fix(here):
    """A fix that everybody is sure of, and an error that does not move."""
    there = here.copied()
    gates = ("make stage1 check USE_KV_LUT=1 TARGET=cpu SHAPES=small "
             "DISTRIBUTIONS=normal")
    loop = "for (int code = threadIdx.x"
    figures = "seed [01]: finite [^ ]* > 0"
    there.plant(kernel(1), "widen: " + loop,
                "write if (int code = threadIdx.x; code < 256) {")
    there.refuses(gates, figures)
    before = re.findall(".*FAILED.*", there.said)
    print("\nthe sure fix:")
    there.plant(kernel(1), "softmax-maximum: float s",
                "write float s[TILE_N / 4] = {}, m_new = m;")
    there.refuses(gates, figures)
    if re.findall(".*FAILED.*", there.said) != before:
        surprise("the error moved", there.said)
    there.most = 4
    there.refuses("make stage1 race USE_KV_LUT=1 TARGET=cpu SHAPES=small",
                  "^uninitialised read", "small: ", "  here", r"table \+")
    print("\nthe loop put back, the sure fix left in:")
    there.plant(kernel(1), "widen: if (int code = threadIdx.x",
                f"write {loop}; code < 256; code += THREADS) {{")
    there.accepts(gates, "small .*passed")


def upside_down(here):
    """A ratio upside down, and a gain that is applied twice."""
    needs("command -v node", "There is no node")
    compare = "tools/compare/compare.py --gate=15 "
    scalar, last = (f"{RESULTS}/{stage(n)}.json" for n in (0, 5))
    here.accepts(f"{compare}{scalar} {last}",
                 r"mission +graph .*  [\d.]+ % +[1-9][\d.]*x", "^base",
                 "^candidate", "^shape", "^gate:")
    here.refuses(f"{compare}{last} {scalar}",
                 r"mission +graph .* -[\d.]+ % +0\.\d+x", "^base",
                 "^candidate", "^shape", "^gate:", "^regression")
    print()
    there = here.copied()
    typed = ("Stage 1 takes 761 µs, stage 2 takes 359 µs, and we are 15x "
             "faster than PyTorch.")
    there.append("tests/book/sample/chapters/01-method.md", f"\n{typed}\n")
    print("a sentence at the end of a chapter:\n  " + typed)
    there.refuses(BOOK, '761 µs" is typed by hand', "typed by hand")


def weak_test(here):
    """A test that a kernel passes which looks at neither queries nor keys."""
    here.accepts("tests/impostors/compare.py --record impostors "
                 "build/table.json && tail -n 5 build/table.json",
                 r'mean_of_v_max_abs_err": 0\.000', "tolerance")
    here.accepts("build/tests/impostors mission",
                 "^mean of V .* x .* x .* x .* x ", "max_abs_err", "^softmax")
    print()
    there = here.copied()
    there.set_number(SETTINGS, "rel_rms_ratio", "2000")
    there.most = 3
    there.refuses(IMPOSTORS, "^not ok .*mission, normal: softmax scale",
                  "^not ok .*mission, normal")
