"""stage18_ring on ranks of the CPU executor: who runs it with too few ranks, or
where a rank dies, must get a sentence, and mistakes in it must be found."""

import pytest

from support import folder_of, have
from facts import rows

RING = folder_of("stage18_ring")
pytestmark = [pytest.mark.takes(6), pytest.mark.skipif(
    not have("mpicc && command -v mpirun"),
    reason="MPI is not here; setup.sh cluster")]
PROGRAM = "build/cpu/stage18_ring/program"
FAULTS = "tools/faults/faults.py"


def test_three_ranks_by_each_exchange(tree):
    tree.make('stage18 check RANKS=3 TARGET=cpu SHAPES="1,2:1,97,64,causal" '
              "DISTRIBUTIONS=large-logits", 0, "on 3 ranks, CPU executor",
              "exchange: ring", "exchange: serial", "exchange: all-gather",
              "1,2:1,97,64,causal     1", never="FAILED")


def test_one_rank_and_a_sample_of_its_rows(tree):
    tree.make("stage18 check RANKS=1 TARGET=cpu SHAPES=1,4:2,70,64,causal "
              "SAMPLE=16", 0, "on 1 rank,", "16 rows sampled", never="FAILED")


def test_a_sample_finds_a_wrong_number_in_the_last_row(tree):
    """Under a mask that row's numbers are the smallest."""
    wrong = "    c->o[bytes / 2 - 1] ^= 0x8000;\n"
    tree.edit(f"{RING}/run.c", "    return sample_judge(",
              wrong + "    return sample_judge(")
    tree.make("stage18 check RANKS=1 TARGET=cpu SHAPES=1,1,300,64,causal "
              "SAMPLE=16", 2, "16 rows sampled", "FAILED")
    tree.edit(f"{RING}/run.c", wrong, "")


@pytest.mark.parametrize("words, code, says", [
    ("check RANKS=0", 2, "RANKS is how many ranks"),
    ("bench", 3, "bench needs GPUs"),
    ("check EXCHANGE=none", 2, "ring, serial or all-gather"),
    ("check SHAPES=1,1,100", 2, "is no shape"),
    ("check MULTIPROCESSORS='1 2 3 4 5 6 7 8 9'", 2, "8 numbers at most"),
    ("check SHAPES=1,1,100,96", 3, "takes D = 64 or 128"),
    ("count", 3, "make stage17 count"),
    ("check PROMOTE_KEYS=0", 2, "has no PROMOTE_KEYS"),
    ("bench AGAINST=stage17", 2, "has no AGAINST"),
])
def test_what_it_cannot_do(tree, words, code, says):
    said = tree.make(f"stage18 TARGET=cpu {words}", 2, says)
    assert f"Error {code}" in said


@pytest.mark.slow
def test_check_and_race_of_more_or_fewer(tree):
    """Of three: chapters/output."""
    for ranks in 1, 2, 4, 5:
        tree.make(f"stage18 check TARGET=cpu RANKS={ranks}", 0, "passed",
                  never="FAILED")
    tree.make("stage18 race RANKS=3", 0, "at the end", never="gate")


# ---- ranks that fail: each that can still speak says why, within 30 s ----

# As launch.py starts two ranks, one of them of another build
OTHER_BUILD = f"""
build=$(strings -n 12 {PROGRAM} | grep -xE '[0-9a-f]{{12}}' | head -n 1)
sed "s/$build/0123456789ab/" {PROGRAM} >other && chmod +x other
further/stage18_ring/launch.py 1 {PROGRAM} check --shape 1,1,64,64 \\
  : -n 1 ./other check --shape 1,1,64,64"""


@pytest.mark.slow
def test_ranks_of_two_builds(tree):
    tree.make(f"-s {PROGRAM}")
    ran = tree.run(OTHER_BUILD)
    assert ran.code == 3, ran.text
    assert ran.text.count("Rank 1 has the build '0123456789ab'") == 2, ran.text


@pytest.mark.parametrize("fault", [
    "shape", "killed", pytest.param("killed-first", marks=pytest.mark.slow),
    pytest.param("stopped", marks=pytest.mark.slow)])
def test_a_rank_that_fails(tree, fault):
    tree.make(f"-s {PROGRAM}")
    tree.ends(f"{FAULTS} cpu 3 said/faults.txt {fault}", 0, f"{fault}, 3 ranks",
              SIMT_THREADS=1, OMP_NUM_THREADS=1)
    assert f"{fault}, 3 ranks on CPU" in tree.read("said/faults.txt")


# ---- planted mistakes ----

# What it is, verb, file, text => what replaces it, words of the finding, or
# "gates", of which one must fail.
MISTAKES = rows("stage18_ring", "planted", 5)


@pytest.mark.parametrize("what, verb, file, change, finding", [
    pytest.param(*m, id=m[0], marks=[pytest.mark.slow] if i else [])
    for i, m in enumerate(MISTAKES)])
def test_a_mistake_is_found(tree, what, verb, file, change, finding):
    file = f"{RING}/{file}"
    whole = tree.read(file)
    old, new = change.replace("\\n", "\n").split(" => ")
    assert whole.count(old) == 1
    tree.edit(file, old, new)
    said = tree.run(f"make stage18 {verb} EXCHANGE=ring RANKS=3 TARGET=cpu "
                    'SHAPES="1,2:1,97,64,causal 1,1,50,128"')
    tree.write(file, whole)
    assert said.code == 2 and "Error 1" in said.text, said.text
    assert ("FAILED" if finding == "gates" else finding) in said.text, said.text
