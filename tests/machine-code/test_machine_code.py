"""What nvcc makes of the kernels: they compile for every architecture and keep
their budgets, a toggle changes the machine code, the instructions that the
chapters speak of are there, and the recorded results are of this code."""

import re

import pytest

from support import STAGES, folder_of, one_of_each, run
from facts import facts

NVCC = run("tools/setup/cuda-home.sh")
pytestmark = [pytest.mark.apart, pytest.mark.skipif(
    NVCC.code != 0, reason="no nvcc 12.8 or newer: make setup")]
DISASSEMBLER = run("tools/setup/disassembler.sh").text.strip()
TOGGLES = "tools/toggles/toggles.py"


def claims_of(stage):
    for line in facts(stage).get("instructions", "").splitlines():
        head, claims = line.split(": ", 1)
        for claim in claims.split():
            yield *head.split(), *re.fullmatch("(.*)([=>])(.*)", claim).groups()


def count(tree, stage, arm, code, opcode):
    settings = tree.run(f"{TOGGLES} settings {arm}").text.split()
    if code == "ptx":
        file = f"build/{arm}.ptx"
        if not tree.exists(file):
            defines = " ".join(f"-D{setting}" for setting in settings)
            tree.ends(f"{NVCC.text.strip()}/bin/nvcc -std=c++17 -O3 -I. "
                      "-gencode arch=compute_90a,code=sm_90a "
                      f"{defines} -ptx -o {file} {folder_of(stage)}/kernel.cu")
    else:
        file = f"build/gpu/{stage}/{arm}/sm_90a.cubin"
        tree.make(f"-s {file}")
    verb = "loop" if code == "loop" else "count"
    return int(tree.ends(["tools/resources/instructions.py", verb, file,
                          opcode]))


@pytest.mark.drawn(1)
@pytest.mark.takes(60)
@pytest.mark.parametrize("stage", STAGES)
def test_machine_code(fresh_tree, stage):
    tree = fresh_tree
    tree.only_stage(stage)
    tree.make(f"-j2 {stage} resources")
    if settings := ["=".join(its) for its in one_of_each(stage)][:1]:
        tree.ends(["tests/machine-code/changes_code.py", stage, *settings])
    claims = list(claims_of(stage))
    assert claims
    wrong = []
    for arm, code, opcode, sign, wanted in claims:
        if code == "ptx" or DISASSEMBLER:
            found = count(tree, stage, arm, code, opcode)
            if not (found == int(wanted) if sign == "=" else
                    found > int(wanted)):
                wrong.append((arm, code, opcode, sign, wanted, found))
    assert not wrong


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_every_toggle_changes_the_machine_code(fresh_tree, stage):
    fresh_tree.only_stage(stage)
    fresh_tree.ends(["tests/machine-code/changes_code.py", stage])


OVERLAPPED = [("libfp8attention", "default", []), *(
    (s, *its) for s in STAGES
    for its in facts(s).get("late_exponentials", {}).items())]


@pytest.mark.drawn(2)
@pytest.mark.skipif(not DISASSEMBLER, reason="no nvdisasm: make setup")
@pytest.mark.parametrize("kernel, arm, moved", OVERLAPPED)
def test_exponentials_stand_beside_a_product(fresh_tree, kernel, arm, moved):
    """Between the waits for the next scores and for P times V; or nothing runs
    beside P times V, and no gate or counter says so. A lane has half as many as
    a tile has keys, and a few more to rescale."""
    tree = fresh_tree
    if kernel in STAGES:
        tree.only_stage(kernel)
        code = f"build/gpu/{kernel}/{arm}/sm_90a.cubin"
        tree.make(f"-s {code}")
    else:
        code = f"build/{kernel}.cubin"
        tree.ends(f"{NVCC.text.strip()}/bin/nvcc -std=c++17 -O3 -I. -gencode "
                  f"arch=compute_90a,code=sm_90a -cubin -o {code} "
                  f"{kernel}/kernel.cu")
    said = tree.ends(f"tools/resources/instructions.py waits {code}")
    blocks = [line.split() for line in said.splitlines()]
    assert len(blocks) >= 4
    late = []
    for block, *counts in blocks:
        (between, after), = [map(int, c.split(":")) for c in counts]
        needed = int(block.split(",")[3]) // 2
        assert between + after >= needed, block
        if between < needed:
            late.append(block)
    assert late == moved


@pytest.mark.drawn(1)
@pytest.mark.skipif(not DISASSEMBLER, reason="no nvdisasm: make setup")
@pytest.mark.parametrize("stage", STAGES)
def test_recorded_results_are_of_this_code(fresh_tree, stage):
    tree = fresh_tree
    ledgers = [tree.json(path.relative_to(tree.path)) for path in
               tree.path.glob("results/*/*/machine-code.json")]
    compiler = run(f"{NVCC.text.strip()}/bin/nvcc --version").text
    kernels = [k for ledger in ledgers if ledger["compiler"] in compiler
               for k in ledger["kernels"]
               if k["stage"] == stage and k["arm"] == "default"]
    if not kernels:
        pytest.skip("no record is by this compiler")
    source = tree.ends(f"tools/results/kernel_hash.py {folder_of(stage)}")
    assert any(source.strip() in k["kernel_hashes"] for k in kernels)

    def is_recorded():
        code = tree.run(f"tools/results/carry.py code {stage} default 90a")
        assert code.code == 0, code.text
        return any(code.text.strip() in k["machine_code"] for k in kernels)
    # ptxas makes one of two codes of some kernels, now this, now that.
    assert any(is_recorded() for _ in range(5))
