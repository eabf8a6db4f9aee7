"""Runs of tools/peers where there is no GPU and no PyTorch."""

import pytest

STANDIN = "tests/tools/standin"


@pytest.fixture
def holds():
    """A program in Python, with the modules of tools/peers, ends well."""
    def check(tree, program, *words):
        tree.ends(["python3", "-c", program, *map(str, words)],
                  PYTHONPATH=":".join([STANDIN, "tools/peers", "tools/common",
                                       "tools/results"]),
                  PYTHONDONTWRITEBYTECODE=1)
    return check


@pytest.fixture
def peers_run():
    """peers.py run LIBRARIES -- SHAPES: what it says, and its record."""
    def go(tree, code, libraries, shapes, *says, path="", **environment):
        tree.run("rm -rf out")
        said = tree.ends(
            f"python3 {STANDIN}/run.py run out commit {libraries} -- {shapes}",
            code, *says, never="Trace", PYTHONPATH=f"{STANDIN}:{path}",
            PYTHONDONTWRITEBYTECODE=1, **environment)
        written = list(tree.path.glob("out/*.json"))
        return said, tree.json(written[0]) if written else None
    return go
