"""The experiments of the chapter on mistakes: each mistake is still refused,
and a reader who repeats one sees what the chapter shows."""

import re

import pytest

from support import ROOT
from refresh_output import FILE, masked, transcripts

RUN = "tests/fooled/fooled.py"
NAMES = [name.replace("_", "-") for name in re.findall(
    r"^def (\w+)\(here\)", (ROOT / "tests/fooled/experiments.py").read_text(),
    re.M)]


@pytest.mark.apart
@pytest.mark.drawn(1)
@pytest.mark.parametrize("name", NAMES)
def test_experiment(root, name):
    ran = root.run([RUN, name])
    if ran.code == 3:
        pytest.skip(ran.text)
    assert ran.code == 0, ran.text
    assert ran.text.endswith("\nThe mistake is refused.\n")
    assert masked(ran.text) == transcripts(root.read(FILE))[
        f"make fooled EXPERIMENT={name}"]


def test_no_such_experiment(root):
    root.ends(f"{RUN} sure", 2, "sure-fix")
