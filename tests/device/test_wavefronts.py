"""Bank conflicts: a reader who counts by the executor, or by the book's widget,
gets what Nsight Compute counts on a GPU."""

import re

import pytest

from support import have, run

PROGRAM = "build/tests/patterns"


def test_each_pattern_as_on_a_gpu(root):
    newest = sorted(root.path.glob("results/**/shared-patterns.json"))[-1]
    recorded = [f"{p['access']} {p['bytes']} {p['pattern']} {p['wavefronts']}"
                for p in root.json(newest)["patterns"]]
    assert len(recorded) == 96
    assert sorted(root.ends(PROGRAM).splitlines()) == sorted(recorded)


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
            lines.append(f"load {size} " + " ".join(
                str(size * place(lane)) for lane in range(32)))
            wanted.append(f"{wavefronts} {wavefronts - conflicts}")
    # Words a stride apart; and bytes of one word do not conflict.
    for stride in 1, 2, 3, 4, 12, 16, 32, 33:
        lines.append("load 4 " + " ".join(
            str(4 * stride * lane) for lane in range(32)))
        wanted.append(f"{(stride & -stride)} 1")
    lines.append("store 2 " + " ".join(str(2 * lane) for lane in range(32)))
    wanted.append("1 1")
    file = root.write(tmp_path / "accesses", "\n".join(lines) + "\n")
    assert root.ends(f"{PROGRAM} - <{file}").splitlines() == wanted
    said = root.ends(f"echo load 3 0 | {PROGRAM} -", 2, "no such access")
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
