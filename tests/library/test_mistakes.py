"""Mistakes in the kernel that makes codes and scales must be seen by
quantise_test.c: as a race, as a wrong code ("is"), or because it never ends."""

import pytest

KERNEL = "libfp8attention/quantise.cu"
PROGRAM = "build/tests/library/gcc/quantise_test"
# What is said of it, or "" for anything: OLD => NEW
MISTAKES = {
    "race": [
        "PLACES = SLOTS + 2 => PLACES = SLOTS + 1",
        "  __syncwarp(); // it may =>   // it may",
    ],
    " is ": [
        "part < oldest.parts ? words[part] : LOOKED"
        " => part < 1 ? words[part] : LOOKED",
        "all &= c.words[i]; => all &= c.words[0];",
        "return c.seen >= oldest.parts; => return true;",
        "c.largest = max(c.largest, __reduce => c.largest = max(0u, __reduce",
        "c.seen = c.largest = 0; => c.seen = 0;",
        "c.seen = c.largest = 0; => c.largest = 0;",
        "PLACES].first == c.head) => PLACES].parts > 0)",
        "lane() < WORKER_WARPS ? => lane() < 1 ?",
        "largest >= infinity) => largest > 0x7fff)",
        "size < infinity ? size : 0 => size < infinity ? 0 : 0",
        "largest.upper >> 16, largest.lower => 0u, largest.lower",
        "largest.upper >> 16, largest.lower => largest.upper >> 16, 0u",
        "return fmaf(-over, by.inverse, near) => return near",
        "(near, by.scale, -x);\n  return fmaf(-over"
        " => (-near, by.scale, x);\n  return fmaf(over",
        "by.scale > 0x1p-60f => by.scale > 0.0f",
        "by.scale > 0x1p-60f => by.scale > 0x1p-115f",
        "by.scale > 0x1p-60f => by.scale > 0x1p-126f",
        "if (!p.bf16) => if (true)",
    ],
    "": [
        "    __syncthreads();\n    const command to =>     const command to",
        "s.to[round % 2] = to; => s.to[0] = to;",
        "s.largest[round % 2][threadIdx => s.largest[0][threadIdx",
        "PLACES = SLOTS + 2 => PLACES = SLOTS - 1",
        "if (item < a.items) s.place[number %"
        " => if (item < a.items) s.place[(number - 1) %",
        "s.next[round % 2] = item; => s.next[0] = item;",
        "next = s.next[round % 2]; => next = s.next[(round + 1) % 2];",
        "__pipeline_wait_prior(AHEAD - 1) => __pipeline_wait_prior(AHEAD)",
        "  __pipeline_commit(); // of"
        " =>   if (to.take) __pipeline_commit(); // of",
        "number % SLOTS * (QUANT => number % (SLOTS - 2) * (QUANT",
        "SLOTS - AHEAD - 1; // after => SLOTS - AHEAD + 1; // after",
        " || w.taken - w.encoded == SLOTS => ",
        "    if (has_chunk(p, s))\n      __pipeline"
        " =>     if (true)\n      __pipeline",
        "    c.left = oldest.item;\n => ",
        "    if (has_chunk(p, s))\n      *reinterpret"
        " =>     if (true)\n      *reinterpret",
        "(WORKERS >> p.shift) => (WORKERS / 8)",
        "head * t.to.head => head * t.from.head",
    ],
}


@pytest.mark.slow
@pytest.mark.takes(20)
@pytest.mark.parametrize("says, mistake", [
    (says, mistake) for says, those in MISTAKES.items() for mistake in those])
def test_a_mistake_is_seen(tree, says, mistake):
    whole = tree.read(KERNEL)
    tree.edit(KERNEL, *mistake.split(" => "))
    tree.make(f"{PROGRAM}")
    ran = tree.run(f"timeout 60 {PROGRAM}")
    tree.write(KERNEL, whole)
    assert ran.code == 124 or ran.code != 0 and says in ran.text, ran.text
