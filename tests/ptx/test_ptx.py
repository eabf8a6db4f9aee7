"""A kernel's PTX is compiled for GPUs only, so the executor and all its checks
pass over a mistake there. But the executor reads the PTX of a program with its
own main: so it is given the wrappers', which must leave the bits of the twins.
What it does not look at, such as clobbers, is read in the text."""

import json
import re

import pytest

from ptx.as_ptx import without_twins
from simt import agree
from simt.driver import findings_of
from support import ROOT

FOLDER = ROOT / "common/device/ptx"
PROGRAM = "build/tests/simt/driver_ptx"
TEXTS = {path.stem: path.read_text() for path in FOLDER.glob("*.cuh")}
# What the compiler may not move accesses past; any other that all lanes of a
# warp execute together it may not drop.
ORDERS = re.compile(r"\[|\bbar\.|fence|commit|wait|globaltimer|^$")
# By __CUDA_ARCH__; the executor takes either.
WAITS = {900: "try_wait", 890: "test_wait"}


def wrong_jobs(tree):
    """Runs whose bits are not the twin's, or in which something is found."""
    jobs = {job: row[0] for job, row in agree.recorded().items() if row[1]}
    said = tree.run(f"printf '{chr(10).join(jobs)}' | {PROGRAM}",
                    timeout=100).text
    said = [json.loads(line) for line in said.splitlines() if line[:1] == "{"]
    return [job for (job, wanted), its in zip(
        jobs.items(), said + [None] * len(jobs)) if not its or
        its["hash"] != wanted or any(
            f["kind"] != "tried once"
            for f in findings_of(its["found"])[0])]


def test_the_bits_of_the_twins(root):
    assert not wrong_jobs(root)


def test_what_the_executor_does_not_look_at():
    """Clobbers and `volatile` are there where the instruction needs them, and
    nowhere else; sums are read as well; older GPUs get what they have."""
    found = []
    for text in map(without_twins, TEXTS.values()):
        for its in re.findall(r"asm( volatile)?\((.*?)\);", text, re.S):
            words = re.findall(r'"((?:[^"\\]|\\.)*)"', its[1])
            ptx = "".join(w for w in words if not re.match(
                "[=+]?[a-z]$|memory$", w))
            orders = bool(ORDERS.search(ptx))
            assert (orders, orders or ".sync" in ptx) == (
                "memory" in words, bool(its[0])), its
            assert "mma" not in ptx or "=f" not in words, its
            found.append(ptx)
    assert len(found) >= 25
    kept = without_twins(TEXTS["wgmma"])
    assert re.search(r"wgmma_keep\(c\);\s*asm volatile\(\"wgmma.fence", kept)
    assert re.search(r"wait_group[^;]*;[^;]*;\s*wgmma_keep\(c\);", kept)
    assert "i < 4 * COUNT" in kept
    assert "ex2.approx.ftz.f32" in TEXTS["exp2"]
    assert "%%globaltimer" in TEXTS["timer"]
    for arch, wait in WAITS.items():
        assert f".{wait}." in without_twins(TEXTS["mbarrier"], arch)
        assert "e4m3x2 %0" in without_twins(TEXTS["e4m3"], arch)
    assert "asm" not in without_twins(TEXTS["e4m3"], 800)


def test_no_ptx_stands_elsewhere_in_what_kernels_include():
    for path in [*ROOT.glob("stage*/kernel.cu"), *ROOT.glob(
            "further/*/kernel.cu"), *ROOT.glob("libfp8attention/*.c*"),
                 *(ROOT / "common/device").rglob("*.cu*")]:
        if path.parent != FOLDER:
            # An empty statement only tells the compiler something.
            assert not re.search(r'\basm\b(?! volatile\("")',
                                 path.read_text()), path


# File, the text where it stands last, what it becomes.
PLANTED = [
    ("mma", "m16n8k32.row.col.f32.e4m3.e4m3", "m16n8k32.row.col.f32.e5m2.e5m2"),
    ("ldmatrix", ".x4.trans.shared", ".x4.shared"),
    ("mbarrier", ".noinc", ""),
    ("named_barrier", "bar.arrive", "bar.sync"),
    ("tma", "{%3, %4, %5, %6}", "{%3, %4, %6, %5}"),
    ("wgmma", "%65, %66, %67}, %68", "%66, %65, %67}, %68"),
    ("wgmma", '"n"(LEFT)', '"n"(LEFT + 1)'),
]


@pytest.mark.drawn(2)
@pytest.mark.parametrize("file, old, new", PLANTED)
def test_a_mistake_is_seen(tree, file, old, new):
    path = f"common/device/ptx/{file}.cuh"
    before, found, behind = TEXTS[file].rpartition(old)
    assert found, "the header has changed: plant it anew"
    tree.write(path, before + new + behind)
    built = tree.run(f"make -s TARGET=cpu {PROGRAM}")
    tree.write(path, TEXTS[file])
    assert built.code and "the executor has no" in built.text or (
        not built.code and wrong_jobs(tree)), built.text
