"""Each recorded run names the commit that it was of: that commit must hold the
kernel whose hash stands beside it, or one that machine-code.json says is the
same machine code; or a reader could not look up what was measured."""

import pytest

from support import ROOT, Tree
from recorded import carried, files, load

ROOT_TREE = Tree()


def measured():
    """The commit, stage, folder then and hash of each kernel."""
    for folder in ROOT.glob("results/**/20*"):
        for path in files(folder):
            meta = load(path).get("build_meta") or {}
            for k in meta, *(meta.get("kernels") or {}).values():
                if meta.get("commit") and k.get("kernel_hash"):
                    yield (meta["commit"], k["stage"],
                           k.get("recorded_as") or k["stage"],
                           k["kernel_hash"])


def test_commit_holds_the_kernel_that_was_measured(tmp_path):
    runs, here, wrong = sorted({*measured()}), 0, []
    ledgers = [load(path) for path in ROOT.glob("results/**/machine-code.json")]
    assert runs, "recorded runs name commits"
    for commit, stage, then_in, recorded in runs:
        if ROOT_TREE.run(f"git cat-file -e '{commit}^{{commit}}'").code:
            continue
        here += 1
        tree = tmp_path / commit
        if not tree.exists():
            tree.mkdir()
            ROOT_TREE.ends(f"git archive {commit} | tar -xf - -C {tree}")
        ran = ROOT_TREE.run(f"cd {tree} && "
                            f"{ROOT}/tools/results/kernel_hash.py {then_in}")
        found = ran.text.strip()
        if found != recorded and not any(carried(
                its, stage, "default", found, recorded) for its in ledgers):
            wrong.append(f"{commit} {stage}: {found}")
    assert not wrong, "\n".join(wrong)
    if not here:
        pytest.skip("none of these commits is here")
