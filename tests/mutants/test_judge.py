"""What results/mutants.json says of the gates is so: what nothing finds and is
recorded as found makes a reader trust tools that are blind."""

import re

import pytest

from support import ROOT, STAGES, Tree, copy, folder_of

# A number is the only word of a kernel, which compilers hand on; the program is
# that word, and acts accordingly.
COMPILE = """for word; do output=$source source=$word; done
[ "$(cat "$source")" != 1 ] || exit 1
[ "$(cat "$source")" != 2 ] || { echo right >"$output"; exit; }
cp "$source" "$output"
"""
DEVICE = """for word; do output=$source source=$word; done
[ "$(cat "$source")" = 3 ] && echo right >"$output" || cp "$source" "$output"
"""
LINK = r"""cat >"$2" <<TEXT
#!/bin/sh
echo "$(cat "$3") \$*" >>asked
case "$(cat "$3") \$*" in
"4 race --shape odd") echo "small: 2 findings, backward"
  echo "race: a read"; echo "no proxy fence: a"; echo "race: b"; exit 1 ;;
"5 race --shape odd") kill -XCPU \$\$ ;;
"6 race") echo "deadlock: all wait"; exit 1 ;;
"7 check --shape odd"*) exit 1 ;;
"8 check --brief"*) exit 1 ;;
"9 check -d normal") kill -SEGV \$\$ ;;
"11 check --brief"*) echo "x: The inputs could not be brought to the device:\
 an illegal instruction."; exit 3 ;;
"12 race"*) echo "no memory"; exit 3 ;;
esac
TEXT
chmod +x "$2"
"""


@pytest.fixture
def judged(root, tmp_path):
    """Judges a mistake with compilers and kernels that only act so."""
    tree = type(root)(
        tmp_path, COMPILE_INSTRUMENTED="./compile", COMPILE_PLAIN="./compile",
        COMPILE_DEVICE="./device", LINK="./link", LINK_WITH="-lx")
    tree.run("mkdir -p tools build/cpu/stage99_x/default "
             "build/instrumented/stage99_x/default && "
             f"ln -s {ROOT}/tools/mutants {ROOT}/tools/labs "
             f"{ROOT}/tools/common tools")
    tree.write("stage99_x/kernel.cu", "right\n")
    for name, body in (("compile", COMPILE), ("device", DEVICE),
                       ("link", LINK)):
        tree.script(name, body)

    def judge(number, known=""):
        tree.run("rm -f asked")
        tree.write("one.py", f"""import sys
sys.path += ["tools/common", "tools/labs", "tools/mutants/judge"]
from ask import Asker
print(*Asker("stage99_x", "build/job").judge("{number}\\n", "default",
                                               "{known}"),
      sep="|")
""")
        return tree.run("python3 one.py").text.strip()
    judge.tree = tree
    return judge


def test_verdicts(judged):
    for number, verdict in {
            1: "build|", 2: "same|g++", 3: "same|nvcc",
            4: "race|race, no proxy fence", 5: "time|race",
            6: "race|deadlock", 7: "check|", 8: "check|",
            9: "check|exit code 139", 10: "survived|",
            11: "check|an illegal instruction"}.items():
        assert judged(number) == verdict, number
    # What could not be asked is no find.
    assert "no memory" in judged(12)
    # Of what is known to be equivalent only the quick questions are asked.
    assert judged(10, "known") == "known|"
    assert len(judged.tree.read("asked").splitlines()) == 2
    assert judged(4, "known") == "race|race, no proxy fence"


def record(stage, root=Tree()):
    return next(one for one in root.json("results/mutants.json")["stages"]
                if one["stage"] == stage)


def test_records_are_of_these_kernels_and_nothing_survives(root):
    """One of another kernel is a skip: it is to be judged again."""
    before, judged, by_hand, stale = "", 0, 0, []
    for stage in STAGES:
        chosen = {int(m[0]): m[3:] for m in (line.split("|", 4) for line in (
            root.ends(f"tools/mutants/mutate.py choose {stage} {before}")
            .splitlines()))}
        kernel = root.ends(f"tools/results/kernel_hash.py {folder_of(stage)}")
        recorded, before = record(stage), stage
        verdicts, score = recorded["verdicts"], recorded
        if recorded["kernel_hash"] != kernel.strip() or any(
                chosen.get(m["number"]) != [m["rule"], m["sentence"]]
                for m in verdicts):
            stale.append(stage)
            continue
        assert 0 < len(verdicts) <= len(chosen)
        assert score["judged"] + score["not_compiled"] == len(verdicts)
        assert score["survived"] == 0
        for m in verdicts:
            assert m["verdict"] in ("race", "check", "time", "build") or (
                m["verdict"] in ("same", "class", "hand") and m["says"]), m
        judged += score["judged"]
        by_hand += score["equivalent_by_hand"]
    assert by_hand * 20 <= judged
    assert root.json("results/mutants.json")["judged"] >= judged
    if stale:
        pytest.skip(f"make mutants: another kernel in {', '.join(stale)}")
    assert judged >= 400


@pytest.mark.apart
@pytest.mark.drawn(1)
@pytest.mark.takes(20)
@pytest.mark.parametrize("stage", STAGES)
def test_a_sample_gets_the_verdict_that_is_recorded(fresh_tree, stage):
    verdict = {m["number"]: m["verdict"] for m in record(stage)["verdicts"]}
    said = fresh_tree.make(f"mutants STAGE={stage}", 0, "survived 0",
                           SAMPLE="1 1")
    [(number, found)] = re.findall(r"mistake (\d+): ([a-z]+)", said)
    assert verdict[int(number)] == found


@pytest.mark.apart
@pytest.mark.slow
@pytest.mark.takes(600)
@pytest.mark.parametrize("stage", STAGES)
def test_every_mistake_gets_the_verdict_that_is_recorded(tmp_path, stage):
    """Verdicts that `make mutants` has kept are taken: it keeps each under all
    that it depends on. That is, of the other stages only the one before."""
    tree = copy(tmp_path / "tree", built=False)
    kept = f"build/mutants/{stage}/kept"
    if (ROOT / kept).exists():
        tree.write(kept, (ROOT / kept).read_text())
    tree.run("rm -f results/mutants.json")
    tree.only_stage(stage, *STAGES[:STAGES.index(stage)][-1:])
    tree.make(f"mutants STAGE={stage}", 0, "survived 0")
    now = record(stage, tree)["verdicts"]
    assert now and [(m["sentence"], m["verdict"]) for m in now] == [
        (m["sentence"], m["verdict"]) for m in record(stage)["verdicts"]]
