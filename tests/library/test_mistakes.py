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
        "return c.seen >= oldest.parts; => return true;",
        "c.seen = c.largest = 0; => c.seen = 0;",
        "PLACES].first == c.head) => PLACES].parts > 0)",
        "largest >= infinity) => largest > 0x7fff)",
        "largest.upper >> 16, largest.lower => 0u, largest.lower",
        "return fmaf(-over, by.inverse, near) => return near",
        "by.scale > 0x1p-60f => by.scale > 0x1p-115f",
        "by.scale > 0x1p-60f => by.scale > 0x1p-126f",
        "if (!p.bf16) => if (true)",
    ],
    "": [
        "    __syncthreads();\n    const command to =>     const command to",
        "s.largest[round % 2][threadIdx => s.largest[0][threadIdx",
        "PLACES = SLOTS + 2 => PLACES = SLOTS - 1",
        "__pipeline_wait_prior(AHEAD - 1) => __pipeline_wait_prior(AHEAD)",
        "SLOTS - AHEAD - 1; // after => SLOTS - AHEAD + 1; // after",
        "    if (has_chunk(p, s))\n      *reinterpret"
        " =>     if (true)\n      *reinterpret",
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
