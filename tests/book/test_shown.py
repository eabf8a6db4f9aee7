"""Each command whose output a chapter shows prints that here, too. (Those of
chapter 26 are run by tests/fooled.)"""

import re

import pytest

from support import ROOT
from refresh_output import FILE, transcripts

SHOWN = [pytest.param(command, said, id=command, marks=pytest.mark.slow
                      if re.search(" check .*TARGET=cpu$", command) else [])
         for command, said in transcripts((ROOT / FILE).read_text()).items()
         if not command.startswith("make fooled")]


@pytest.mark.drawn(3)
@pytest.mark.parametrize("command, said", SHOWN)
def test_shown(tree, command, said):
    wanted = f"$ {command}\n{said}"
    if "nvcc" in wanted and tree.run("tools/setup/cuda-home.sh").code:
        pytest.skip("nvcc says a part of it")
    tree.write(FILE, wanted)
    if "this machine cannot" in tree.ends("book/refresh_output.py"):
        pytest.skip("this machine cannot do that")
    assert tree.read(FILE) == wanted
