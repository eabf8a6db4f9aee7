"""Each command whose output a chapter shows prints that here, too. (Those of
chapter 26 are run by tests/fooled.)"""

import pytest

from support import ROOT

SHOWN = [pytest.param(p.name, marks=pytest.mark.slow if "-check" in p.name
                      else []) for p in sorted(
    (ROOT / "chapters/output").glob("*.txt")) if "fooled-" not in p.name]


@pytest.mark.drawn(3)
@pytest.mark.parametrize("name", SHOWN)
def test_shown(tree, name):
    wanted = (ROOT / "chapters/output" / name).read_text()
    if "nvcc" in wanted and tree.run("tools/setup/cuda-home.sh").code:
        pytest.skip("nvcc says a part of it")
    tree.run("rm -f chapters/output/*")
    tree.write(f"chapters/output/{name}", wanted)
    said = tree.ends("book/refresh_output.py")
    if "this machine cannot" in said:
        pytest.skip("this machine cannot do that")
    assert tree.read(f"chapters/output/{name}") == wanted
