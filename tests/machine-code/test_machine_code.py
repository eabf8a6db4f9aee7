"""What nvcc makes of the kernels: they compile for every architecture and keep
their budgets, a toggle changes the machine code, the instructions that the
chapters speak of are there, and the recorded results are of this code."""

import re

import pytest

from support import STAGES, folder_of, run, stage

NVCC = run("tools/setup/cuda-home.sh")
pytestmark = [pytest.mark.apart, pytest.mark.skipif(
    NVCC.code != 0, reason="no nvcc 12.8 or newer: make setup")]
DISASSEMBLER = run("tools/setup/disassembler.sh").text.strip()
TOGGLES = "tools/toggles/toggles.py"

# What the chapters say of a kernel's instructions:  STAGE ARM CODE: CLAIMS
# CODE is ptx, or sass for compute capability 9.0; loop counts all instructions
# of the innermost loop that has this one. A name counts whatever begins with
# it, up to a dot: LDG is LDG.E.128 too, and not LDGSTS. The count is of
# instructions as they stand, a loop's body once.
CLAIMS = """
0 default ptx: ld.global.v4>0 st.global.u64>0 wmma=0
0 default sass: HMMA=0 LDG.E.128>0 STG.E.64>0 LDGSTS=0 LDL=0
1 default ptx: wmma.mma.sync>0 cp.async.cg.shared>0
1 default sass: HMMA.16816.F32>0 LDSM>0 LDGSTS.E.BYPASS.128>0 LDL=0
    HMMA.16816.F32=8
1 USE_CP_ASYNC-0 ptx: cp.async=0
1 USE_CP_ASYNC-0 sass: LDGSTS=0 LDG.E.128>0
1 USE_CP_ASYNC-0.LOAD_BYTES-1 ptx: ld.global.u8>0
1 USE_CP_ASYNC-0.LOAD_BYTES-1 sass: LDG.E.U8>0
2 default sass: HMMA.16816.F32=16 LDGSTS.E.BYPASS.128>0 LDL=0
2 USE_WMMA_PV-0 sass: HMMA.16816.F32=8 HFMA2=0
2 USE_WMMA_PV-0.USE_HALF2_PV-1 sass: HMMA.16816.F32=8 LDS.64>0 HADD2>0 HFMA2=0
2 default loop: HMMA=317
3 default sass: HMMA.16816.F32=16 LDL=0 LDGSTS.E.BYPASS.128>0
3 USE_SPLIT_KEYS-1 sass: HMMA.16816.F32=16 LDL=0
3 USE_FUSED_SOFTMAX-0 loop: HMMA=322
4 default sass: HMMA.16816.F32=16 LDGSTS.E.BYPASS.128>0 LDL=0
4 default loop: HMMA=291
5 default sass: HMMA.16816.F32=16 LDL=0 BAR.ARV>0 SYNCS=0 MUFU.EX2>0 ATOMG=0
5 USE_MBARRIER-1 sass: SYNCS>0 BAR.ARV=0
5 USE_WARP_SPECIALIZATION-0 sass: BAR.ARV=0
5 USE_FAST_EXP-1 sass: MUFU.EX2=0
5 USE_PERSISTENT_CTA-1 sass: ATOMG>0
5 USE_WARP_SPECIALIZATION-0 loop: HMMA=291
5 default loop: HMMA=220
5 USE_PERSISTENT_CTA-1 loop: HMMA=236
5 USE_FAST_EXP-1 loop: HMMA=261
6 default ptx: wmma=0
6 default sass: HMMA.16816.F32=64 LDSM=0 LDS.U8=128 PRMT=96 STS=0
    F2FP.F16.E4M3=144 LDGSTS.E.BYPASS.128>0 LDL=0 STL=0
6 USE_BIT_WIDENING-1 sass: F2FP.F16.E4M3=0 F2FP=32
6 default loop: HMMA=790
6 USE_BIT_WIDENING-1 loop: HMMA=1174
7 default sass: HMMA.16816.F32=64 LDSM.16.M88.4=8 LDSM.16.MT88.4=8 LDS.U8=0
    PRMT=32 STS=0 F2FP.F16.E4M3=144 STG.E.64>0 LDL=0 STL=0
7 USE_FP8_MMA-1 ptx: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32>0
7 USE_FP8_MMA-1 sass: QMMA=0 HMMA.16816.F32=64 F2FP.F16.E4M3=160
7 default loop: HMMA=601
7 NUM_STAGES-2 loop: HMMA=580
7 NUM_STAGES-4 loop: HMMA=581
7 USE_FP8_MMA-1 loop: HMMA=730
8 default sass: HMMA.16816.F32=192 LDSM=32 F2FP.F16.E4M3=304 STS.128=8
    LDS.128=4 LDL=0 STL=0
8 WARP_TILES-1 sass: HMMA.16816.F32=128
9 default sass: HMMA.16816.F32=384 LDSM=80 STS.128=24 LDL=0 STL=0
10 default ptx:
    cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::\
complete_tx::bytes>0
10 default sass: UTMALDG>0 LDGSTS=0 HMMA.16816.F32=384 LDSM=80 QGMMA=0
    STS.128=24 LDL=0 STL=0
11 default ptx: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3>0
11 default sass: QGMMA=12 HMMA.16816.F32=192 LDL=0 STL=0
11 default loop: HMMA=603
12 default sass: QGMMA=20 HMMA=0 LDSM>0 STSM>0 F2FP.SATFINITE.E4M3=64
    F2FP.F16.E4M3=0 LDL=0 STL=0
13 default ptx: setmaxnreg>0
    wgmma.mma_async.sync.aligned.m64n96k32.f32.e4m3.e4m3>0
13 default sass: USETMAXREG=8 UTMALDG=12 BAR.ARV=4 HMMA=0 LDL=0 STL=0
14 default sass: QGMMA=50 F2FP.SATFINITE.E4M3=208 BAR.ARV=4 I2F=12 STS.128=24
    LDL=0 STL=0
14 USE_PING_PONG-1 sass: BAR.ARV>4
15 default sass: I2F=0 QGMMA=58 BAR.ARV=5 STS.128=32 LDL=0 STL=0
16 default sass: QGMMA=78 BAR.ARV=6 UTMALDG=18 STS.128=26 LDS.128=26
    SYNCS.PHASECHK>132 LDL=0 STL=0
16 SKIP_MASKED-0 sass: SYNCS.PHASECHK=132
17 default sass: QGMMA=78 STS.128=98 BAR.ARV=6 LDL=0 STL=0
17 PROMOTE_KEYS-0 sass: STS.128=26
"""


def claims_of(number):
    for head, claims in re.findall(r"^(\d.*?):((?: .*|\n +.*)*)", CLAIMS, re.M):
        of, arm, code = head.split()
        for claim in claims.split() if int(of) == number else []:
            yield arm, code, *re.fullmatch("(.*)([=>])(.*)", claim).groups()


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


def one_of_each(stage):
    """A setting of each toggle but the details."""
    others = run(f"{TOGGLES} others {stage}").text.split()
    for line in run(f"{TOGGLES} layer {stage}").text.splitlines():
        name, layer = line.split()
        if layer != "detail":
            yield next(s for s in others if s.startswith(f"{name}="))


@pytest.mark.drawn(1)
@pytest.mark.takes(60)
@pytest.mark.parametrize("stage", STAGES)
def test_machine_code(fresh_tree, stage):
    tree = fresh_tree
    tree.only_stage(stage)
    tree.make(f"-j2 {stage} resources")
    if settings := list(one_of_each(stage))[:1]:
        tree.ends(["tests/machine-code/toggles.py", stage, *settings])
    claims = list(claims_of(int(re.search(r"\d+", stage)[0])))
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
@pytest.mark.takes(200)
@pytest.mark.parametrize("stage", STAGES)
def test_every_toggle_changes_the_machine_code(fresh_tree, stage):
    fresh_tree.only_stage(stage)
    fresh_tree.ends(["tests/machine-code/toggles.py", stage])


# Kernel, arm, and of which blocks (columns, warpgroups by rows, by keys, and a
# tile's keys) the compiler moves the exponentials past the wait for P times V,
# as chapter 22 tells.
OVERLAPPED = [
    (stage(14), "default", []), (stage(14), "KEEP_ORDER-0", ["64,3,1,128"]),
    (stage(15), "default", ["64,2,2,64"]), (stage(16), "default", []),
    (stage(17), "default", []), ("libfp8attention", "default", [])]


@pytest.mark.drawn(2)
@pytest.mark.takes(20)
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


def test_single_bytes_are_refused_to_the_copy_engine(root, tmp_path):
    root.ends(f"{NVCC.text.strip()}/bin/nvcc -std=c++17 -I. -DLOAD_BYTES=1 "
              f"-arch sm_90 -ptx -o {tmp_path}/ptx "
              f"{folder_of(stage(1))}/kernel.cu", 1, "needs LOAD_BYTES=16")


@pytest.mark.drawn(1)
@pytest.mark.takes(30)
@pytest.mark.skipif(not DISASSEMBLER, reason="no nvdisasm: make setup")
@pytest.mark.parametrize("stage", STAGES)
def test_recorded_results_are_of_this_code(fresh_tree, stage):
    tree = fresh_tree
    results = re.search("^results: *(.*)$", tree.read("chapters/book.yaml"),
                        re.M)[1]
    ledger = tree.json(f"{results}/machine-code.json")
    if ledger["compiler"] not in run(
            f"{NVCC.text.strip()}/bin/nvcc --version").text:
        pytest.skip(f"they were made by {ledger['compiler']}")
    kernels = [k for k in ledger["kernels"]
               if k["stage"] == stage and k["arm"] == "default"]
    source = tree.ends(f"tools/results/kernel-hash.sh {folder_of(stage)}")
    assert any(source.strip() in k["kernel_hashes"] for k in kernels)

    def is_recorded():
        code = tree.run(f"tools/results/machine-code.sh {stage} default 90a")
        assert code.code == 0, code.text
        return any(code.text.strip() in k["machine_code"] for k in kernels)
    # ptxas makes one of two codes of some kernels, now this, now that.
    assert any(is_recorded() for _ in range(5))
    if stage == STAGES[0]:  # once is enough to test the test
        tree.append(f"{folder_of(stage)}/kernel.cu",
                    "__global__ void planted(int *p) { *p = 1; }\n")
        assert not is_recorded()
