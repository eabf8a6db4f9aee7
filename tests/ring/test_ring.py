"""stage18_ring on ranks of the CPU executor: who runs it with too few ranks,
without MPI, or where a rank dies must get a sentence, and mistakes in it must
be found."""

import re
import time

import pytest

from support import ROOT, folder_of, have

RING = folder_of("stage18_ring")
needs_mpi = pytest.mark.skipif(not have("mpicc && command -v mpirun"),
                               reason="MPI is not here; setup.sh cluster")
PROGRAM = "build/cpu/stage18_ring/program"


def test_without_mpi(tree, tmp_path):
    """All programs of this machine but for mpicc and mpirun."""
    (tmp_path / "bin").mkdir()
    tree.run(f"cd {tmp_path}/bin && IFS=:; for f in $PATH; do "
             "ln -s $f/* . 2>/dev/null; done; rm -f mpi*")
    for goal in "stage18 check RANKS=3 TARGET=cpu", "lab18 grade":
        tree.make(goal, 2, "needs MPI", "setup.sh cluster", "Error 3",
                  PATH=f"{tmp_path}/bin")


@needs_mpi
@pytest.mark.takes(12)
def test_three_ranks_by_each_exchange(tree):
    tree.make('stage18 check RANKS=3 TARGET=cpu SHAPES="1,2:1,97,64,causal" '
              "DISTRIBUTIONS=large-logits", 0, "on 3 ranks, CPU executor",
              "exchange: ring", "exchange: serial", "exchange: all-gather",
              "1,2:1,97,64,causal     1", never="FAILED")


@needs_mpi
def test_one_rank_and_a_sample_of_its_rows(tree):
    tree.make("stage18 check RANKS=1 TARGET=cpu SHAPES=1,4:2,70,64,causal "
              "SAMPLE=16", 0, "on 1 rank,", "16 rows sampled", never="FAILED")


@needs_mpi
@pytest.mark.parametrize("words, code, says", [
    ("check RANKS=0", 2, "RANKS is how many ranks"),
    ("bench", 3, "bench needs GPUs"),
    ("check EXCHANGE=none", 2, "ring, serial or all-gather"),
    ("check SHAPES=1,1,100", 2, "is no shape"),
    ("check SHAPES=1,1,100,96", 2, "takes 64 and 128"),
    ("count", 2, "make stage17 count"),
    ("check PROMOTE_KEYS=0", 2, "has no PROMOTE_KEYS"),
    ("bench AGAINST=stage17", 2, "has no AGAINST"),
])
def test_what_it_cannot_do(tree, words, code, says):
    said = tree.make(f"stage18 TARGET=cpu {words}", 2, says)
    assert f"Error {code}" in said or "Stop" in said


@needs_mpi
@pytest.mark.slow
@pytest.mark.takes(100)
def test_check_and_race_as_the_chapter_shows_them(tree):
    for ranks in 1, 2, 3, 4, 5:
        said = tree.make(f"stage18 check TARGET=cpu RANKS={ranks}", 0, "passed",
                         never="FAILED")
        if ranks == 3:
            shown = tree.read("chapters/output/stage18-check.txt")
            assert said == shown.split("\n", 1)[1]
    tree.make("stage18 race RANKS=3", 0, "at the end", never="gate")


# ---- ranks that fail: each that can still speak says why, within 30 s ----

# As run.sh starts them
START = f"""
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_plm_rsh_agent=true
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_orte_execute_quiet=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none SIMT_THREADS=1
export OMP_NUM_THREADS=1
program={PROGRAM}
"""
# A signal for the process of one rank, when it is watched
SEND = START + """
timeout 60 mpirun -n 3 "$program" check --shape 1,4,3000,128 &
launcher=$!
found() {
  for p in $(cat /proc/$launcher/task/*/children) $(for c in $(cat \\
      /proc/$launcher/task/*/children); do cat /proc/$c/task/*/children; done)
  do
    case $(readlink /proc/$p/exe) in */stage18_ring/program) ;; *) continue ;;
    esac
    tr '\\0' '\\n' <"/proc/$p/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1" &&
      grep -qx watchdog /proc/$p/task/*/comm && echo "$p"
  done 2>/dev/null
}
tries=0
while p=$(found %d); [ -z "$p" ] && [ $tries -lt 100 ]; do
  tries=$((tries + 1))
  sleep 0.2
done
kill -%s "$p"
wait $launcher"""
SMALL = '"$program" check --shape 1,1,64,64'
OTHER_BUILD = START + f"""
build=$(strings -n 12 "$program" | grep -xE '[0-9a-f]{{12}}' | head -n 1)
sed "s/$build/0123456789ab/" "$program" >other && chmod +x other
mpirun -n 1 {SMALL} : -n 1 ./other check --shape 1,1,64,64"""


@needs_mpi
@pytest.mark.takes(10)
@pytest.mark.parametrize("says, script", [
    ("Rank 1 has the command",
     START + f"mpirun -n 1 {SMALL} : -n 1 {SMALL},causal"),
    ("rank 2 has died", SEND % (2, "KILL")),
    pytest.param("Rank 1 has the build '0123456789ab'", OTHER_BUILD,
                 marks=pytest.mark.slow),
    pytest.param("rank 0 has died", SEND % (0, "KILL"), marks=pytest.mark.slow),
    pytest.param("rank 1 is silent since 8 seconds", SEND % (1, "STOP"),
                 marks=pytest.mark.slow),
], ids=lambda text: text if len(text) < 40 else "")
def test_a_rank_that_fails(tree, says, script):
    tree.make(f"LOCKED=1 -s {PROGRAM}")
    begun = time.time()
    ran = tree.run(script)
    assert ran.code != 0 and time.time() - begun <= 30, ran.text
    said = re.findall(r"stage18_ring, rank \d+: (.*)", ran.text)
    assert sum(says in line for line in said) == 2, ran.text


# ---- planted mistakes ----

MISTAKES = [line.split(" | ") for line in
            (ROOT / "tests/ring/planted.list").read_text().splitlines()
            if " | " in line and line[0] != "#"]


@needs_mpi
@pytest.mark.takes(8)
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
