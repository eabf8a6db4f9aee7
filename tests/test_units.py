"""The unit tests in C: cmocka's programs, as make has listed and built them."""

import pytest

from support import ROOT, run

LIST = ROOT / "build/tests/programs"


@pytest.mark.apart
@pytest.mark.parametrize(
    "program", LIST.read_text().split() if LIST.exists() else [])
def test_unit(program):
    ran = run(program)
    failures = [line for line in ran.text.splitlines() if "[  PASSED" not in line]
    assert ran.code == 0, "\n".join(failures[-60:])
