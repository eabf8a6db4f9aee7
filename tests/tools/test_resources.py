"""What the compiler says a kernel takes, and what its machine code is made of:
read from reports and listings with known sums."""

import os
import re
import shutil
import sys

import pytest

from support import ROOT, Tree

RESOURCES = ROOT / "tools/resources/resources.py"
READ = f"{RESOURCES} read"
COUNT = ROOT / "tools/resources/instructions.py"
ARM = "stage99_x/default"
CODE = f"build/gpu/{ARM}/sm_90a"
REPORT = """\
ptxas info    : Compiling entry function 'one' for 'sm_90a'
ptxas info    : Function properties for one
    {stack} bytes stack frame, {stores} bytes spill stores, {loads} bytes \
spill loads
ptxas info    : Used {registers} registers, used 1 barriers, 4096 bytes smem
ptxas info    : Function properties for two
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 20 registers, 64 bytes smem
"""


@pytest.fixture
def folder(tmp_path):
    tree = Tree(tmp_path)
    tree.write("stage99_x/stage.toml", "budget = {registers = 80, "
               "shared_bytes = 4096, stack_bytes = 0, spill_bytes = 0}\n")
    tree.write(f"{CODE}.cubin", "")
    return tree


def report(folder, registers, stack=0, stores=0, loads=0):
    folder.write(f"{CODE}.cubin.ptxas", REPORT.format(
        registers=registers, stack=stack, stores=stores, loads=loads))


def test_within_its_budget(folder):
    report(folder, 72)
    folder.ends(f"{READ} {CODE}.cubin.ptxas", 0, "registers=72 "
                "shared_bytes=4096 stack_bytes=0 spill_bytes=0")
    folder.ends(f"{RESOURCES} allotted {CODE}.cubin.ptxas", 0, "72")
    folder.ends(f"{RESOURCES} table {ARM}", 0, ARM, never="over budget")


def test_over_its_budget(folder):
    report(folder, 81, 16, 8, 4)
    folder.ends(f"{READ} {CODE}.cubin.ptxas", 0,
                "registers=81", "stack_bytes=16 spill_bytes=12")
    folder.ends(f"{RESOURCES} allotted {CODE}.cubin.ptxas", 0, "88")
    folder.ends(f"{RESOURCES} table {ARM}", 1, "over budget: registers=80 "
                "over budget: stack_bytes=0 over budget: spill")


def test_waits_that_ptxas_puts_between_products(folder):
    report(folder, 72)
    said = folder.read(f"{CODE}.cubin.ptxas")
    folder.write(f"{CODE}.cubin.ptxas", "ptxas info    : (C7517) "
                 "warpgroup.wait is injected in around line 5\n" + said)
    folder.ends(f"{RESOURCES} table {ARM}", 1, "C75xx")


def test_no_report_and_no_budget(folder):
    folder.write(f"{CODE}.cubin.ptxas", "nvcc fatal\n")
    folder.ends(f"{RESOURCES} table {ARM}", 1, f"{CODE}.cubin.ptxas")
    report(folder, 1)
    folder.write("stage99_x/stage.toml", "")
    folder.ends(f"{RESOURCES} table {ARM}", 1, "stage99_x")


SASS = """\
.text.attention_kernel:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 LDG.E.LTC128B.128 R4, desc[UR4][R2.64] ;
        /*0020*/                   LDG.E R4, desc[UR4][R2.64] ;
        /*0030*/             @UP0  LDG.E.U8 R4, desc[UR4][R2.64] ;
        /*0040*/                   LDGSTS.E.BYPASS.128 [R1], desc[UR4][R2.64] ;
        /*0050*/                   STG.E.64 desc[UR4][R2.64], R4 ;
        /*0060*/                   LDS R4, [R1] ;
        /*0070*/                   LDS.U.128 R4, [R1] ;
        /*0080*/                   STS.U16 [R1], R4 ;
.L_x_1:
        /*0090*/                   HMMA.16816.F32 R4, R8, R12, R4 ;
.L_x_2:
        /*00a0*/                   HMMA.16816.F32 R4, R8, R12, R4 ;
        /*00b0*/                   LDSM.16.M88.4 R4, [R1] ;
        /*00c0*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*00c8*/                   SYNCS.EXCH.64 URZ, [UR4], UR6 ;
        /*00d0*/                   MUFU.EX2 R4, R4 ;
        /*00d8*/               @P0 BRA `(.L_x_2) ;
        /*00e0*/                   F2FP.F16.E4M3.UNPACK_B R4, R5 ;
        /*00f0*/                   LDL R4, [R1] ;
        /*00f8*/              @!P0 BRA P1, `(.L_x_1) ;
        /*0100*/                   BRA `(.L_x_0) ;
"""
PTX = """\
.visible .entry attention_kernel(
	ld.param.u64 	%rd1, [p];
	@%p1 ld.global.v4.u32 	{%r1, %r2, %r3, %r4}, [%rd1];
	@!%p2 ld.global.nc.u8 	%rs1, [%rd1];
	ld.global.f32 	%f1, [%rd1];
	cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;
	cp.async.commit_group;
	st.global.u64 	[%rd1], %rd2;
	ld.shared.v2.f64 	{%fd1, %fd2}, [%r1];
	ld.shared.b32 	%r1, [%r2];
	st.shared.u16 	[%r1], %rs1;
	wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1}, {%f2};
	wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1}, {%f2};
	wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1}, [%r2];
	bar.sync 	0;
	mbarrier.init.shared.b64 [%r1], %r2;
	ex2.approx.ftz.f32 	%f1, %f2;
	{cvt.rn.f16x2.e4m3x2 %r1, %rs1;}
	ld.local.u32 	%r1, [%rd1];
	ret;
"""
# The table of both.
TABLE = f"""\
{ARM} 2 1 1 1 1 1 1
 mbarrier 1
 global loads 1 x 16 B 1 x 4 B 1 x 1 B
 global stores 1 x 8 B
 shared loads 1 x 16 B 1 x 4 B
 shared stores 1 x 2 B
"""


@pytest.fixture
def listing(folder):
    folder.script("bin/nvdisasm", f"exec cat {folder.write('sass', SASS)}\n")
    folder.write(f"{CODE}.ptx", PTX)
    (folder.path / "tools").symlink_to(ROOT / "tools")
    folder.environment = {"PATH": f"{folder.path}/bin:{os.environ['PATH']}",
                          "ARCH": "90a"}
    return folder


def table(folder):
    text = re.sub(" +", " ", folder.ends(f"{COUNT} table {ARM}"))
    return re.sub("\ninstructions .*\n|counted in .*\n", "", text)


@pytest.mark.parametrize("ending, counts", [
    ("cubin", {"LDG": 3, "LDGSTS": 1, "LDS": 2, "HMMA.16816": 2, "LDC": 1,
               "LDG.E.LTC128B.128": 1, "MMA": 0}),
    ("ptx", {"ld.global": 3, "cp.async.cg": 1, "cp.async": 2, "wmma": 3,
             "cvt.rn.f16x2.e4m3x2": 1, "ret": 1})])
def test_each_opcode_is_counted(listing, ending, counts):
    for opcode, number in counts.items():
        said = listing.ends(f"{COUNT} count {CODE}.{ending} {opcode}")
        assert said == f"{number}\n", opcode


def test_the_smallest_loop(listing):
    for opcode, length in ("HMMA", "6\n"), ("F2FP", "10\n"), ("LDG", ""):
        assert listing.run(f"{COUNT} loop {CODE}.cubin {opcode} 2>/dev/null"
                           ).text == length


def test_the_table(listing):
    assert table(listing) == TABLE


def test_without_a_disassembler(listing):
    """The table is of PTX; a count is not of none."""
    (listing.path / "bin/nvdisasm").unlink()
    for name in "sh env dirname sed awk tr grep cat tail head sort ls".split():
        (listing.path / "bin" / name).symlink_to(shutil.which(name))
    (listing.path / "bin/python3").symlink_to(sys.executable)
    listing.environment |= {"PATH": f"{listing.path}/bin",
                            "CUDA_HOME": "/none"}
    assert table(listing) == TABLE
    listing.ends(f"{COUNT} table {ARM}", 0, "counted in PTX")
    listing.ends(f"{COUNT} count {CODE}.cubin LDG", 3, "make setup")
    listing.write("none.ptx", ".version 9.0\n")
    listing.ends(f"{COUNT} count none.ptx LDG", 1, "none.ptx")
