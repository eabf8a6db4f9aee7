"""The search over toggles finds the best arm though the clock slows down, times
nothing that is wrong, and goes on where it was interrupted."""

import json
import re

import pytest

from support import stage

FAKE = "stage99_fake"
RESULT = f"out/{FAKE}.tune.json"
TUNE = f"tools/tune/tune.py gpu {FAKE} out"
TOGGLES = [("A", "0 1"), ("B", "0 1"), ("E", "0 1 2"),
           ("TILE", "32 64 (detail)"), ("C", "0 1 (detail)"),
           ("DEBUG_PRINT", "0 1")]
# B alone is wrong; with A it changes nothing; E=2 takes too many registers.
MAKE = """
echo "$*" >>made
for file in "$@"; do
  case $file in build/*) mkdir -p "${file%/*}" ;; *) continue ;; esac
  arm=${file%/*} arm=${arm##*/}
  case $file in
  *.cubin)
    registers=64
    case $arm in *E-2*) registers=200 ;; esac
    echo "ptxas info : Used $registers registers" >"$file.ptxas"
    case $arm in A-1.B-1*) arm=$(echo "$arm" | sed 's/\\.B-1//') ;; esac
    echo "code of $arm" >"$file" ;;
  */program) cp bin/program "$file" ;;
  */kernel.o) cp bin/host.o "$file" ;;
  *) : >"$file" ;;
  esac
done
"""
PROGRAM = """
verb=$1 arm=$(dirname "$0") arm=${arm##*/}
echo "$verb $arm" >>calls
if [ "$verb" = check ]; then
  case $arm in # it fails
  B-1*) exit 1 ;; esac
  exit 0
fi
[ "$arm" != "${STOP_AT:-}" ] || exit 130
arms=$arm
while [ $# -gt 0 ]; do
  case $1 in
  --json) json=$2 ;;
  --against) other=$(dirname "$2"); arms="$arms ${other##*/}" ;;
  esac
  shift
done
echo "$arms" >>timed
runs=$(grep -c . timed)
for arm in $arms; do
  time=100
  case .$arm. in *.A-1.*E-1.*) time=70 ;; *.A-1.*) time=90 ;;
  *.E-1.*) time=95 ;; esac
  case .$arm. in *.C-1.*) time=$((time + 3)) ;; esac
  case .$arm. in *.TILE-64.*) time=$((time - 20)) ;; esac
  name=stage99_fake.$arm
  [ "$arm" != default ] || name=stage99_fake
  us=$(echo "$time $runs" | awk '{ print $1 * (10 + $2) / 10 }')
  echo '{"build_meta": {"schema_version": 1}, "perf": {"mission": {"graph":' \\
    "{\\"p50_us\\": $us, \\"noise_us\\": 5}}}}" >"$json/$name.json"
done
"""


def states(result):
    """How many trials ended in each state."""
    ended = [trial["state"] for trial in result["tune"]["trials"]]
    return {state: ended.count(state) for state in ended}


@pytest.mark.slow
@pytest.mark.takes(120)
def test_the_executor_ranks_nothing(tree):
    tree.make("stage1 tune TARGET=cpu SHAPES=small SEEDS=0 JSON=out", 0,
              "nothing is ranked")
    file = f"out/{stage(1)}.tune.json"
    assert tree.json(file)["tune"]["ranked"] is False
    assert "_us" not in tree.read(file)
    assert states(tree.json(file)) == {"green": 6, "ruled out": 2}


def test_a_toggle_beside_it(tree):
    tree.make("stage1 tune TARGET=cpu USE_CP_ASYNC=0", 2,
              "searches the toggles itself")


@pytest.fixture(scope="module")
def searched(tree):
    """A stage whose best is known, with stand-ins for make, the programs and a
    clock that slows down from run to run; searched once, with a break."""
    if tree.run("tools/setup/cuda-home.sh").code:
        pytest.skip("no nvcc 12.8 or newer; make setup")
    tree.write(f"{FAKE}/kernel.cu", "".join(
        f"// toggle {name}: {values}\n#ifndef {name}\n"
        f"#define {name} {values.split()[0]}\n#endif\n"
        for name, values in TOGGLES)
        + '#if A && TILE == 64\n#error "A=1 needs TILE=32"\n#endif\n')
    tree.write(f"{FAKE}/stage.toml",
               "budget = {registers = 128, shared_bytes = 1}\n")
    tree.write("build/toolchain", "fake\n")
    tree.script("bin/make", MAKE)
    tree.script("bin/program", PROGRAM)
    tree.ends("echo 'int launch(void) { return 1; }' | "
              "gcc -c -x c -o bin/host.o -")
    tree.environment = {"ARCH": "90a", "CC": "gcc",
                        "MAKE": f"{tree.path}/bin/make"}
    tree.ends(TUNE, 3, "timing A-1 failed", STOP_AT="A-1")
    assert not tree.exists(RESULT)
    said = tree.ends(TUNE)
    assert re.search("going on.*: 6 trials", said), said
    return tree


def test_the_elite_is_found_though_the_clock_slows_down(searched):
    tuned = searched.json(RESULT)["tune"]
    elite = [arm["arm"] for arm in tuned["elite"]]
    assert elite == ["A-1.E-1", "A-1.E-1.C-1", "E-1.TILE-64", "default"]
    assert tuned["elite"][0]["saved_pct"] == 30
    timed = searched.read("timed").splitlines()
    assert timed[-1] == " ".join(elite), "one run has all of them"
    assert all(" " in arms for arms in timed[1:]), "each beside the best so far"


def test_what_is_not_timed(searched):
    result = searched.json(RESULT)
    count = states(result)
    assert count.pop("timed") and count == {
        "gates failed": 2, "over budget": 4, "same code": 2, "ruled out": 4}
    assert not re.search(r"(^| )B-1", searched.read("timed"), re.M)
    assert "E-2" not in searched.read("calls")
    assert not re.search("A-1.*TILE-64", searched.read("made"))
    assert searched.read("calls").splitlines().count("check default") == 1
    same = {t["arm"]: t.get("against") for t in result["tune"]["trials"]}
    assert same["A-1.B-1"] == "A-1"
    text = json.dumps(result)
    assert not re.search('DEBUG_PRINT|"arm": "(TILE|C)-', text)


def test_another_shape_is_another_search(searched):
    searched.ends(TUNE, 3, "timing A-1 failed", STOP_AT="A-1")
    searched.ends(TUNE, 3, "timing default failed", never="going on",
                  SHAPES="small", STOP_AT="default")
    searched.ends(f"rm -r build/tune/{FAKE}.gpu")


def test_a_stage_that_fails_its_own_gates(searched):
    assert not searched.exists(f"build/tune/{FAKE}.gpu/trials.json")
    searched.edit(f"{FAKE}/kernel.cu", "#define A 0", "#define A 1")
    searched.edit("bin/program", "B-1*) exit 1", "default*) exit 1")
    searched.ends(TUNE, 1, "by default does not pass")
