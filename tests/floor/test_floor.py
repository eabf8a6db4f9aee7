"""make floor, as far as a machine without a GPU can tell: its kernels compute
what plain C does, and the loops that it times are made of what they claim."""

import re

import pytest

from support import ROOT, folder_of, run, stage

PROGRAM = "build/instrumented/floor/program"
# For compute capability 9.0: the smallest loop with OPCODE has so many
# instructions that begin with OTHER, up to a dot; of all, where OTHER is "".
LOOPS = """
memory LDG.E.128: LDG.E.128 4, * 18
memory STG.E.128: STG.E.128 1
chase LDG: LDG 8, * 11
products QGMMA.64x64x32: QGMMA 16
products QGMMA.64x96x32: QGMMA 16
products QGMMA.64x128x32: QGMMA 16, WARPGROUP.DEPBAR 1
halves HMMA.16816.F32: HMMA 8, * 13
exponentials MUFU.EX2: MUFU.EX2 8, * 11
exponentials MUFU.EX2.F16: MUFU.EX2.F16 16
exponentials FMNMX: FMNMX 8, FADD 24, FFMA 24, LEA 8, MUFU 0
softmax MUFU.EX2: MUFU.EX2 64, FFMA 64, FMNMX 64, FADD 65, F2FP 32, * 300
beside MUFU.EX2: MUFU.EX2 64, * 301
beside QGMMA: QGMMA 12, R2UR 0
waits BAR.SYNC: BAR.SYNC 8, * 11
waits SHFL: SHFL 8, * 11
waits MUFU.EX2: MUFU.EX2 8, * 11
product_wait QGMMA.64x64x32: QGMMA 1
product_wait QGMMA.64x128x32: QGMMA 1
"""
EVERY = [str(path.relative_to(ROOT))
         for path in ROOT.glob("floor/kernels/*.cu")]


def test_all_kernels_compute_what_plain_c_does(root):
    said = root.ends(f"{PROGRAM} check", 0, "\n0 findings\n")
    assert said.count("as in plain C\n") == 28


@pytest.mark.parametrize("code, says, words", [
    (3, "predicts no GPU's time", "measure . commit"),
    (2, "measure DIR COMMIT", "measure ."), (2, "Give check", "run"),
    (2, "Give check", "")])
def test_what_is_typed(tmp_path, code, says, words):
    ran = run(f"{ROOT}/build/cpu/floor/program {words}", tmp_path)
    assert ran.code == code and says in ran.text, ran.text
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["exp2_polynomial", "narrow_four"])
def test_what_is_measured_is_stage_14s(root, name):
    def body(files):
        text = "".join(path.read_text() for path in files)
        found = re.search(rf"^__device__.* {name}\([\s\S]*?\n}}\n", text, re.M)
        return found[0].replace(" inline", "")
    assert body(ROOT.glob(f"{folder_of(stage(14))}/kernel.cu")) == body(
        ROOT.glob("floor/kernels/*.cu*"))


def compiled(root, file, architecture, cubin):
    return root.ends(
        f"$(tools/setup/cuda-home.sh)/bin/nvcc -std=c++17 -O3 -I. -Xptxas -v "
        f"--objdir-as-tempdir -cubin -gencode arch=compute_{architecture},"
        f"code=sm_{architecture} -o {cubin} {file}")


@pytest.mark.apart
@pytest.mark.drawn(3)
@pytest.mark.parametrize("file", EVERY)
def test_the_loops_are_what_they_claim(root, file, tmp_path):
    """On Hopper without stack, spills, or products one by one; what older GPUs
    run compiles for them, too."""
    if root.run("tools/setup/cuda-home.sh && tools/setup/disassembler.sh").code:
        pytest.skip("no nvcc or no nvdisasm; make setup")
    cubin = tmp_path / "its.cubin"
    said = compiled(root, file, "90a", cubin)
    assert not re.search(r"[1-9]\d* bytes (stack|spill)|C75\d\d", said), said
    name = file.split("/")[2][:-3]
    for opcode, counts in re.findall(rf"^{name} (\S+): (.*)", LOOPS, re.M):
        for part in counts.split(", "):
            other, number = part.replace("*", "").rsplit(" ", 1)
            found = root.ends("tools/resources/instructions.py loop "
                              f"{cubin} {opcode} {other}")
            assert found == number + "\n", f"{name} {opcode}: {part}"
    if "// architectures" not in root.read(file):
        compiled(root, file, "80", cubin)
