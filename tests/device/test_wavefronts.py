"""Bank conflicts: a reader who counts by the executor, or by the book's widget,
gets what Nsight Compute counts on a GPU."""

import re

import pytest

from device import patterns
from support import have, run

PROGRAM = "build/tests/patterns"


def test_each_pattern_as_on_a_gpu(root, tmp_path):
    newest = sorted(root.path.glob("results/**/shared-patterns.json"))[-1]
    recorded = root.json(newest)["patterns"]
    assert [(p["access"], p["bytes"], p["pattern"])
            for p in recorded] == patterns.ACCESSES
    root.write(tmp_path / "accesses", patterns.LINES)
    assert [int(line.split()[0]) for line in root.ends(
        f"{PROGRAM} <{tmp_path}/accesses").splitlines()] == [
            p["wavefronts"] for p in recorded]


# What Nsight Compute counted on an H200 of loads of 16 and of 8 bytes:
# wavefronts, and bank conflicts.
LOADS = [
    (lambda i: i // 16 * 36, (2, 0), (1, 0)),
    (lambda i: i // 8, (2, 0), (1, 0)),
    (lambda i: i % 2, (2, 0), (1, 0)),
    (lambda i: i // 2, (2, 0), (1, 0)),
    (lambda i: i % 8, (4, 0), (2, 0)),
    (lambda i: i % 4, (4, 0), (2, 0)),
    (lambda i: i, (4, 0), (2, 0)),
    (lambda i: i * 8, (32, 28), (16, 14)),
    (lambda i: i // 8 * 8, (4, 2), (2, 1)),
    (lambda i: i // 2 * 8, (16, 14), (8, 7)),
    (lambda i: i % 2 * 8, (4, 2), (1, 0)),
    (lambda i: i % 8 * 8, (32, 28), (8, 6)),
    (lambda i: i if i < 8 else i - 8 if i < 16 else 0, (4, 0), (2, 0))]


def test_wide_loads_as_on_an_h200(root, tmp_path):
    wanted, lines = [], []
    for place, *seen in LOADS:
        for size, (wavefronts, conflicts) in zip((16, 8), seen):
            lines.append(patterns.line("load", size, place))
            wanted.append(f"{wavefronts} {wavefronts - conflicts}")
    # Words a stride apart; and bytes of one word do not conflict.
    for stride in 1, 2, 3, 4, 12, 16, 32, 33:
        lines.append(patterns.line("load", 4, lambda i, n=stride: n * i))
        wanted.append(f"{(stride & -stride)} 1")
    lines.append(patterns.line("store", 2, lambda i: i))
    wanted.append("1 1")
    file = root.write(tmp_path / "accesses", "\n".join(lines) + "\n")
    assert root.ends(f"{PROGRAM} <{file}").splitlines() == wanted
    said = root.ends(f"echo load 3 0 | {PROGRAM}", 2, "no such access")
    assert said.count("\n") == 1


def compare(folder):
    return run(f"node tests/device/wavefronts-widget.js {folder} {PROGRAM}")


@pytest.mark.skipif(not have("node"), reason="node is not installed")
def test_the_widget_counts_what_the_executor_counts(root, tmp_path):
    ran = compare("book/widgets")
    assert ran.code == 0, ran.text
    for old, new in ((r"word % BANKS", "(word + (word >> 5)) % BANKS"),
                     (r"if \(known\)", "if (false)"),
                     (r": LANES / 4", ": LANES / 2")):
        run(f"cp -R book/widgets {tmp_path}")
        file = tmp_path / "widgets/bank-conflicts.model.js"
        text, count = re.subn(old, new, file.read_text())
        assert count
        file.write_text(text)
        ran = compare(tmp_path / "widgets")
        assert ran.code == 1 and "the executor " in ran.text, (new, ran.text)
