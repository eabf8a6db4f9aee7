"""A kernel's PTX is compiled for GPUs only, so the executor and all its checks
pass over a mistake there. But the executor reads the PTX of a program with its
own main: so it is given the wrappers', which must leave the twins' bits."""

import json

import pytest

from simt import agree
from simt.driver import findings_of
from support import ROOT

FOLDER = ROOT / "common/device/ptx"
PROGRAM = "build/tests/simt/driver_ptx"
TEXTS = {path.stem: path.read_text() for path in FOLDER.glob("*.cuh")}


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
