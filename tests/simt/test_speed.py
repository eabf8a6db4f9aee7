"""An executor that is slow is not used: one launch of stage 1 at the mission
shape takes 0.5 s on two cores plain, and 2 s with races and counters."""

import os

import pytest

from simt.driver import PROGRAMS
from support import run


@pytest.mark.alone
@pytest.mark.skipif(os.cpu_count() < 2, reason="this machine has one core")
@pytest.mark.parametrize("kernel, limit", [("plain", 0.5),
                                           ("instrumented", 2.0)])
def test_speed(kernel, limit):
    """The best of up to nine, because others may be at work here."""
    took = []
    for _ in range(9):
        ran = run(f"{PROGRAMS}/speed_{kernel}")
        assert ran.code == 0, ran.text
        took.append(float(ran.text))
        if min(took) <= limit:
            break
    assert 0 < min(took) <= limit
