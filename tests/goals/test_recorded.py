"""What is recorded under results/ of the executor is what it says now, and
README.md shows what the results say, with links that lead somewhere."""

import os
import re

import pytest

from support import ROOT
from recorded import files, load

COUNTS = [os.path.relpath(path, ROOT)
          for folder in sorted(ROOT.glob("results/nvidia-*/*"))
          for path in files(folder) if path.endswith(".count.json")]
pytestmark = pytest.mark.apart


def test_readme(root):
    root.ends("tools/readme/readme.py --check")
    for path in "README.md", "CONTRIBUTING.md":
        for link in re.findall(r"\]\(([^)]+)\)", root.read(path)):
            assert link.startswith(("http", "../../releases")) or root.exists(
                link.split("#")[0]), link


@pytest.mark.drawn(4)
@pytest.mark.parametrize("path", COUNTS)
def test_counts(root, tmp_path, path):
    file = path.split("/")[-1]
    stage, _, arm = file.removesuffix(".count.json").partition(".")
    arm = f"{stage}/{arm or 'default'}"
    root.ends(f"build/instrumented/{arm}/program count --json {tmp_path}")
    new = root.json(tmp_path / file)["counters"]
    assert new and new == load(root.path / path)["counters"]
