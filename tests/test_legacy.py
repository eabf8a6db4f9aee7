"""Scripts that print TAP and are not in pytest yet."""

import re

import pytest

from support import ROOT, STAGES, run


def units(pattern):
    for path in sorted(ROOT.glob(pattern)):
        head = path.read_text(errors="replace")[:900]
        each = re.search(r"^(?:--|#) for each (\S+)( without stage.mk)?$", head, re.M)
        drawn = re.search(r"^(?:--|#) drawn: (\d+)", head, re.M)
        arguments = [""]
        if each and each[1].startswith("stage"):
            arguments = STAGES
        elif each:
            arguments = sorted(str(p.relative_to(ROOT)) for p in ROOT.glob(each[1]))
        if drawn:
            arguments = [a for i, a in enumerate(arguments) if i == 3]
        alone = re.search(r"^(?:--|#) alone:", head, re.M)
        for argument in arguments:
            yield pytest.param(f"{path.relative_to(ROOT)} {argument}".strip(),
                               marks=[pytest.mark.alone] if alone else [])


@pytest.mark.apart
@pytest.mark.takes(25)
@pytest.mark.parametrize("script", list(units("tests/*/*.test.*")))
def test_script(script):
    passes(script)


@pytest.mark.apart
@pytest.mark.slow
@pytest.mark.parametrize("script", list(units("tests/more/*.more.*")))
def test_long_script(script):
    passes(script)


def passes(script):
    ran = run(script, timeout=3600)
    bad = [i for i, line in enumerate(ran.text.splitlines())
           if line.startswith("not ok")]
    lines = ran.text.splitlines()
    assert ran.code == 0 and not bad, "\n".join(
        "\n".join(lines[i:i + 8]) for i in bad[:6]) or ran.text[-2000:]
