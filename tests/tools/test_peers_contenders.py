"""Who takes part beside the stages: a package that is absent or broken costs a
line, a wrong one is not timed, a new file is a new contender."""

import re
import sys

import pytest

from support import ROOT, Tree

PACKAGES = "tests/tools/standin/packages"
SHAPE = "1,2,8,64"
MINE = "tools/peers/contenders/mine.py"
# All that stands in the table without any package.
ALONE = ("stage1", "torch_math", "torch_efficient", "torch_flash",
         "torch_cudnn")


@pytest.fixture
def contend(sources, peers_run):
    """A run of one stage, beside which all that needs no package is timed:
    what it says, and the contenders of a shape. bad: a package's text."""
    def go(code, *says, bad=""):
        if bad:
            sources.write("bad/flash_attn_interface.py", bad)
        said, record = peers_run(sources, code, "stage1=8", SHAPE, *says,
                                 path="bad" if bad else "")
        its = record["peers"][SHAPE]["contenders"]
        assert all(its[name]["graph"] for name in ALONE), said
        return said, its
    return go


def line(said, name):
    """The one line of the table that begins with a name."""
    (found,) = re.findall(rf"^  {name}\b.*", said, re.M)
    return found


def test_no_package(contend):
    said, _ = contend(0)
    for name, lacking in [("cudnn_fp16", "nvidia-cudnn-frontend"),
                          ("flash_attention_3", "fa3-fwd")]:
        assert line(said, name).endswith(f"cannot: no {lacking}")


@pytest.fixture
def pinned(sources):
    """A folder with what setup fetches: another name for the module."""
    text = sources.read(f"{PACKAGES}/flash_attn_interface.py")
    sources.write("pinned/fa3_fwd_interface.py", text)
    sources.write("pinned/fa3_fwd-0.0.3.dist-info/METADATA",
                  "Metadata-Version: 2.1\nName: fa3_fwd\nVersion: 0.0.3\n")
    return "pinned"


@pytest.mark.parametrize("path, version", [
    (f"pinned:{PACKAGES}", "flash_attn_3"), ("pinned", "fa3-fwd 0.0.3")])
def test_a_package(sources, peers_run, pinned, path, version):
    said, record = peers_run(sources, 0, "stage1=8",
                             f"2,4:2,5,64,causal {SHAPE}", path=path)
    assert record["build_meta"]["contenders"]["flash_attention_3"] == {
        "precision": "E4M3", "version": version}
    for shape in record["peers"].values():
        its = shape["contenders"]["flash_attention_3"]
        assert its["graph"]["p50_us"] == 5 and its["rel_rms"] < 1e-6, said
        assert its["rel_rms_offset"] < 1e-6


def test_python_sees_the_folder_that_setup_makes(tmp_path):
    """In front of what is in PYTHONPATH."""
    tree = Tree(tmp_path)
    for folder in "mine", ".deps/fa3-fwd-0.0.3":
        tree.write(f"{folder}/fa3_fwd_interface.py", f"print({folder!r})\n")
    tree.ends([sys.executable, "-c", "import peers, fa3_fwd_interface"], 0,
              ".deps/fa3-fwd-0.0.3", PYTHONPATH=f"mine:{ROOT}/tools/peers")


@pytest.mark.parametrize("text, says", [
    ("raise SystemExit(7)", "cannot: flash_attn_interface does not load: "
     "SystemExit: 7"),
    ("def flash_attn_func(q, k, v, descale_q=None): pass",
     "cannot: flash_attn_func() got an unexpected keyword argument"),
    ("def flash_attn_func(*a, **b): return 1", "cannot: 'int' object"),
])
def test_a_broken_package_costs_a_line(contend, text, says):
    said, _ = contend(0, bad=text)
    assert says in line(said, "flash_attention_3")


def test_a_wrong_package_is_not_timed(contend):
    said, its = contend(
        1, f"so not timed: flash_attention_3 at {SHAPE}.",
        bad="def flash_attn_func(*its, **named): return its[0] * 1.0")
    assert "wrong: relative RMS error" in line(said, "flash_attention_3")
    assert "graph" not in its["flash_attention_3"]


def test_a_file_more_is_a_contender_more(contend, sources):
    text = """
import torch
from contender import Contender as Base


class Contender(Base):
    place = 4.5
    largest_rel_rms = 0.3

    def launch(self):
        self.out = torch.cuda.work(
            1.0, lambda: self.problem.reference() * 1.2)
"""
    sources.write(MINE, text)
    said, _ = contend(0)
    assert re.search(r"\n  torch_cudnn .*\n  mine +1\.00 .*\n  cudnn_fp16",
                     said)
    sources.write(MINE, text.replace("largest_rel_rms = 0.3", ""))
    contend(1, f"not timed: mine at {SHAPE}.")
    sources.write(MINE, text + """
        if torch.cuda.captured is not None:
            raise RuntimeError("not in here")
""")
    said, _ = contend(0)
    assert line(said, "mine").endswith("cannot: in a graph: not in here")
    (sources.path / MINE).unlink()


@pytest.mark.parametrize("text, says", [
    ("class Contender(:", "SyntaxError"), ("x = 1", "class Contender")])
def test_a_file_that_is_no_contender(sources, peers_run, text, says):
    sources.write(MINE, text + "\n")
    said, _ = peers_run(sources, 2, "stage1=8", SHAPE, MINE, says)
    assert said.count("\n") == 1
    (sources.path / MINE).unlink()
