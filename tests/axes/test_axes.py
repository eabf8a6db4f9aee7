"""Strides, keys, softmax scales, NaN and what else a kernel is promised to get:
each stage stands them, or is excused, and a mistake is named by a default case
of `check` or `race`."""

import pytest

from support import STAGES, Tree, folder_of, stage
from facts import of_driver

pytestmark = pytest.mark.apart
SETTINGS = Tree().json("common/harness/settings.json")
AXES = SETTINGS["check"]["axes"]
EXCUSES = SETTINGS["excuses"]
FAR, STEP = "1,2,127,64,inputs=far-below", "1,4:2,390,64,inputs=step-up"
PADDED, PERMUTED = (f"2,4:2,{s}" for s in ("100,64,strides=padded",
                                           "130,64,strides=permuted"))
WIDE = "1,2:1,70,64,strides=wide"
SKIPPED = "1,4,190,64,causal,multiprocessors=2"
SHARE = "args.heads / args.kv_heads"
ONLY_ONE = "  const bool only_one = n + KEY_GROUPS >= todo.steps;\n"
SKIP = "  // With the mask, keys past this group's last row are nothing"

# The stage, the mistake, what is changed, the case that names it, in which arm.
MISTAKES = [
    (17, "V has the strides of K", [("strides.v", "strides.k")], PERMUTED),
    (17, "O has rows of D", [("row * o_strides.row", "row * HEAD_DIM")],
     PADDED),
    (17, "a batch of O in 32 bits",
     [("todo.batch * o_strides.batch", "int(todo.batch * o_strides.batch)")],
     "2,1,70,128,causal,strides=wide"),
    (17, "as many keys as rows",
     [("static_cast<int>(key_rows(&args))", "args.seq_len")],
     "1,2:1,100,64,keys=333"),
    (17, "at most six heads share", [(
        f"divisor_of({SHARE})", f"divisor_of({SHARE} < 6 ? {SHARE} : 6)")],
     "1,16:1,65,64"),
    (17, "a key of the padding",
     [("keys >= TILE_N &&", "keys >= TILE_N - 1 &&")], FAR),
    (17, "more slack than the shift allows",
     [("SLACK = 4.0f", "SLACK = 5.0f"), ("8.0f - SLACK", "4.0f")], STEP),
    (17, "NaN becomes a number",
     [("        l[i / 2] += s;", "l[i / 2] += s = fminf(s, 448.0f);")],
     "1,2,100,64,inputs=nan-k"),
    (17, "the only tile, before any is skipped",
     [(ONLY_ONE, ""), (SKIP, ONLY_ONE + SKIP)], SKIPPED),
    (10, "a row of Q in 32 bits",
     [("first_row * q_strides.row", "int(first_row * q_strides.row)")],
     WIDE),
    (9, "1 / sqrt(D) scales", [("args.softmax_scale", "rsqrtf(HEAD_DIM)")],
     "1,2,96,64,scale=0.3"),
    (6, "a mask of an arm that is off", [("0x3f803f80", "0x3f003f80")],
     "small", "USE_BIT_WIDENING=1"),
]


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", STAGES)
def test_each_axis_is_stood_or_excused(root, name):
    names = of_driver(name, "excuses")
    excused = {case for its in names for case in EXCUSES[its]["cases"]}
    needed = set()
    for case in AXES:
        ran = root.run(f"build/cpu/{name}/default/program check --seeds 0 "
                       f"--distribution normal --shape {case}")
        if ran.code == 3:
            assert " takes " in ran.text
        else:
            assert ran.code == (case in excused), ran.text
            needed |= {its for its in names if case in EXCUSES[its]["cases"]}
    assert needed == set(names)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("mistake", MISTAKES,
                         ids=[f"{m[0]}: {m[1]}" for m in MISTAKES])
def test_mistake_is_named(tree, mistake):
    number, _, changes, case, *arm = mistake
    assert case in [*SETTINGS["race"]["variants"], *AXES, "small"]
    name = stage(number)
    kernel = f"{folder_of(name)}/kernel.cu"
    whole = tree.read(kernel)
    for old, new in changes:
        tree.edit(kernel, old, new)
    try:
        if case == SKIPPED:
            tree.make(f"{name} race TARGET=cpu SHAPES={case}", 2, "deadlock")
        else:
            tree.make(f"{name} check TARGET=cpu {' '.join(arm)} SEEDS=0 "
                      f"DISTRIBUTIONS=normal SHAPES={case}", 2,
                      f"FAILED {case}")
    finally:
        tree.write(kernel, whole)
