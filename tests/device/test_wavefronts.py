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
