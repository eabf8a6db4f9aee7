"""What the compiler says a kernel takes, and what its machine code is made of:
read from reports and listings with known sums."""

import pytest

from support import ROOT, Tree, path_with

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


def test_within_its_budget_and_over_it(folder):
    report(folder, 72)
    folder.ends(f"{READ} {CODE}.cubin.ptxas", 0, "registers=72 "
                "shared_bytes=4096 stack_bytes=0 spill_bytes=0")
    folder.ends(f"{RESOURCES} table {ARM}", 0, ARM, never="over budget")
    report(folder, 81, 16, 8, 4)
    folder.ends(f"{READ} {CODE}.cubin.ptxas", 0,
                "stack_bytes=16 spill_bytes=12")
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


def test_without_a_disassembler(folder):
    """A count is not of none."""
    (folder.path / "tools").symlink_to(ROOT / "tools")
    folder.environment = {"CUDA_HOME": "/none", "PATH": path_with(
        folder.path / "bin", "sh env dirname sed awk tr grep cat tail head")}
    folder.ends(f"{COUNT} count {CODE}.cubin LDG", 3, "make setup")
    folder.ends(f"{COUNT} table {ARM}", 0, "not counted", "make setup")
